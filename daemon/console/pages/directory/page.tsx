/** Directory: who has which number, the card of a person, a name for a number, and lists of people from other software. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PartyListView, PartyView, ProposalView } from '../../../schema/crm.ts'
import { Fault, get } from '../../frame/api.ts'
import { draft } from '../../frame/drafts.ts'
import { house } from '../../frame/house.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { useChosen } from '../../pieces/chosen.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Foreign, foreign, PhoneNumber } from '../../pieces/Number.tsx'
import { FaultNote, Panel } from '../../pieces/Panel.tsx'
import { Status } from '../../pieces/PartyFacts.tsx'
import { callBack } from '../../pieces/reach-out.ts'
import { Time } from '../../pieces/Time.tsx'
import { Card } from './Card.tsx'
import { Import } from './Import.tsx'
import { NameNumber } from './NameNumber.tsx'
import { say } from './words.ts'

const proposals = thing<readonly ProposalView[]>('/api/crm/names', [])
const waitMs = 150

export default function Directory() {
  const text = draft('directory:q', '')
  const { found, fault, again } = useFound(text.value)
  const chosenId = useSignal<string | undefined>(undefined)
  const naming = useSignal<string | undefined>(undefined)
  const chosen = found?.items.find(({ id }) => id === chosenId.value)
  const changed = (): void => {
    again()
    void proposals.reload()
  }
  return (
    <div class="directory">
      <section class="panel find" aria-label={say('find')}>
        <header>
          <label class="box">
            <Icon name="search" />
            <span class="vh">{say('findWhat')}</span>
            <input
              type="text"
              value={text.value}
              placeholder={say('findWhat')}
              autocomplete="off"
              spellcheck={false}
              maxLength={100}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
          </label>
          <button type="button" class="btn" onClick={() => (naming.value = '')}>
            <Icon name="plus" />
            {say('nameANumber')}
          </button>
        </header>
        <div class="body">
          {fault === undefined ? null : <FaultNote fault={fault} again={again} />}
          <Results
            text={text.value}
            found={found}
            chosen={chosenId.value}
            choose={(id) => (chosenId.value = id)}
            name={(n) => (naming.value = n)}
          />
        </div>
      </section>
      <div class="second">
        {chosen === undefined ? (
          <section class="panel" aria-label={say('card')}>
            <p class="empty">{say('noneChosen')}</p>
          </section>
        ) : (
          <Card key={chosen.id} party={chosen} proposal={proposedTo(chosen)} changed={changed} />
        )}
        <Proposed />
        {may('importParties') ? <Import imported={changed} /> : null}
      </div>
      {naming.value === undefined ? null : <NameNumber number={naming.value} changed={changed} close={() => (naming.value = undefined)} />}
    </div>
  )
}

const proposedTo = ({ id }: PartyView): ProposalView | undefined => proposals.data.value?.find(({ customerId }) => customerId === id)

/** The answer to what was typed last; the one before it stays until then. */
function useFound(text: string): { found: PartyListView | undefined; fault: Fault | undefined; again: () => void } {
  const [found, setFound] = useState<PartyListView>()
  const [fault, setFault] = useState<Fault>()
  const [turn, setTurn] = useState(0)
  const asked = useRef(0)
  useEffect(() => {
    const own = ++asked.current
    const look = (): void => {
      get<PartyListView>(`/api/crm/parties?${new URLSearchParams({ q: text.trim() })}`).then(
        (answer) => own === asked.current && (setFound(answer), setFault(undefined)),
        (error: unknown) => own === asked.current && setFault(error instanceof Fault ? error : new Fault(0, { error: String(error) })),
      )
    }
    const timer = setTimeout(look, text === '' ? 0 : waitMs)
    return () => clearTimeout(timer)
  }, [text, turn])
  return { found, fault, again: () => setTurn(turn + 1) }
}

interface ResultsProps {
  readonly text: string
  readonly found: PartyListView | undefined
  readonly chosen: string | undefined
  readonly choose: (id: string) => void
  readonly name: (number: string) => void
}

function Results({ text, found, chosen, choose, name }: ResultsProps) {
  const wanted = text.trim().toLowerCase()
  const colleagues = (house.data.value?.extensions ?? []).filter(
    (one) => wanted !== '' && (one.number.startsWith(wanted) || one.name.toLowerCase().includes(wanted)),
  )
  const items = found?.items ?? []
  const keys = { next: say('nextRow'), previous: say('previousRow'), open: say('openRow') }
  const row = useChosen(
    items.map(({ id }) => id),
    choose,
    keys,
  )
  if (wanted === '')
    return found === undefined ? null : <p class="empty">{say(found.total === 0 ? 'emptyDirectory' : 'typeAName', { n: found.total })}</p>
  const isNumber = /^[+\d][\d\s().-]{5,}$/.test(text.trim())
  return (
    <>
      {colleagues.length === 0 ? null : <h3 class="sub">{say('colleagues')}</h3>}
      <ul class="tight">
        {colleagues.map(({ number, name: called }) => (
          <li key={number} class="row">
            <span class="num faint">{number}</span>
            <bdi class="grow who">{foreign(called)}</bdi>
            <button
              type="button"
              class="btn small"
              aria-label={say('callOf', { name: foreign(called) })}
              onClick={() => void callBack(number)}
            >
              <Icon name="phone" />
              {say('call')}
            </button>
          </li>
        ))}
      </ul>
      {items.length === 0 ? null : <h3 class="sub">{say('people')}</h3>}
      <ul>
        {items.map((party) => (
          <li key={party.id} {...row.row(party.id)}>
            <button
              type="button"
              class="item"
              aria-pressed={party.id === chosen}
              onClick={() => ((row.id.value = party.id), choose(party.id))}
            >
              <Party party={party} />
            </button>
          </li>
        ))}
      </ul>
      {found?.more === true ? <p class="empty">{say('more', { n: items.length })}</p> : null}
      {found !== undefined && items.length + colleagues.length === 0 ? (
        <div class="empty">
          <p>{say('nobody')}</p>
          {isNumber ? (
            <button type="button" class="btn small" onClick={() => name(text.trim())}>
              {say('nameThis')}
            </button>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

function Party({ party }: { readonly party: PartyView }) {
  const { name, company = '', phones, status } = party
  const proposal = proposedTo(party)
  const phone = phones.find(({ primary }) => primary === true) ?? phones[0]
  return (
    <>
      <span class="first">
        <Foreign text={name} class="who" />
        <Status status={status} />
        {proposal === undefined ? null : <span class="tag amber">{say('proposed')}</span>}
      </span>
      <span class="said">
        {phone === undefined ? null : <PhoneNumber number={phone.number} />} {phones.length > 1 ? say('numbers', { n: phones.length }) : ''}{' '}
        <Foreign text={company} class="faint" />
      </span>
    </>
  )
}

/** Names given here to customers whom the CRM owns, until it has answered. */
function Proposed() {
  const all = proposals.data.value ?? []
  if (all.length === 0 && proposals.fault.value === undefined) return null
  return (
    <Panel title={say('proposedNames')} count={all.length} thing={proposals}>
      {(list) => (
        <>
          <p class="note">{say('proposedMeans')}</p>
          <ul class="tight">
            {list.map(({ customerId, name, proposed, at }) => (
              <li key={customerId} class="row">
                <span class="grow">
                  <Foreign text={name} /> → <Foreign text={proposed} class="who" />
                </span>
                <span class="tag amber">{say('proposed')}</span>
                <span class="small faint">
                  <Time at={at} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}
