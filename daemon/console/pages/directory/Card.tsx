/** The card of somebody in the directory: numbers with what can be done with each, what is known, and the name. */
import type { PartyView, ProposalView, ScreenPopView } from '../../../schema/crm.ts'
import { useSignal } from '@preact/signals'
import { thing } from '../../frame/state.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu } from '../../pieces/Menu.tsx'
import { Foreign, numberText, PhoneNumber } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Fact, PartyFacts, Status } from '../../pieces/PartyFacts.tsx'
import { callBack, faxBack, writeText, sayReach } from '../../pieces/reach-out.ts'
import { NameNumber } from './NameNumber.tsx'
import { say } from './words.ts'

export interface CardProps {
  readonly party: PartyView
  /** The name that is proposed to the CRM. */
  readonly proposal: ProposalView | undefined
  /** The directory is otherwise now. */
  readonly changed: () => void
}

export function Card({ party, proposal, changed }: CardProps) {
  const renaming = useSignal(false)
  const { name, status, company = '', email = '', externalRef = '', phones, source, doNotCall = false, doNotText = false } = party
  const primary = (phones.find((one) => one.primary === true) ?? phones[0])?.number
  return (
    <section class="panel party-card" aria-label={say('card')}>
      <div class="card">
        <p class="acts">
          <Foreign text={name} class="name" />
          <Status status={status} />
          <span class="tag">{say(source === 'crm' ? 'ofCrm' : source === 'import' ? 'imported' : 'typed')}</span>
          {doNotCall ? <span class="tag red">{say('doNotCall')}</span> : null}
          {doNotText ? <span class="tag red">{say('doNotText')}</span> : null}
        </p>
        {proposal === undefined ? null : (
          <p class="amber" role="status">
            {say('proposedHere', { name: proposal.proposed })}
          </p>
        )}
        <ul class="tight">
          {phones.map(({ number, label, extension }) => (
            <Phone key={number} number={number} label={label} extension={extension} />
          ))}
        </ul>
        <dl class="facts">
          {company === '' ? null : (
            <Fact name={say('company')}>
              <Foreign text={company} />
            </Fact>
          )}
          {email === '' ? null : (
            <Fact name={say('mail')}>
              <Foreign text={email} />
            </Fact>
          )}
          {externalRef === '' ? null : (
            <Fact name={say('reference')}>
              <Foreign text={externalRef} />
            </Fact>
          )}
        </dl>
        {primary === undefined ? null : <Known number={primary} />}
        {primary === undefined ? null : (
          <div class="acts">
            <button type="button" class="btn" onClick={() => (renaming.value = true)}>
              <Icon name="note" />
              {say(source === 'crm' ? 'proposeName' : 'changeName')}
            </button>
          </div>
        )}
      </div>
      {renaming.value && primary !== undefined ? (
        <NameNumber number={primary} party={party} changed={changed} close={() => (renaming.value = false)} />
      ) : null}
    </section>
  )
}

function Known({ number }: { readonly number: string }) {
  const card = thing<ScreenPopView>(`/api/pbx/screen-pop/${encodeURIComponent(number)}`, [])
  const fault = card.fault.value
  if (fault !== undefined)
    return (
      <Panel title={say('known')} thing={card}>
        {() => null}
      </Panel>
    )
  return card.data.value === undefined ? null : <PartyFacts card={card.data.value} />
}

interface PhoneProps {
  readonly number: string
  readonly label: PartyView['phones'][number]['label']
  readonly extension: string | undefined
}

function Phone({ number, label, extension }: PhoneProps) {
  return (
    <li class="row">
      <span class="grow">
        <PhoneNumber number={number} class="who" />{' '}
        {extension === undefined ? null : <span class="faint">{say('behind', { extension })}</span>}{' '}
        <span class="small muted">{say(label)}</span>
      </span>
      <button
        type="button"
        class="btn small"
        aria-label={say('callOf', { name: numberText(number) })}
        onClick={() => void callBack(number)}
      >
        <Icon name="phone" />
        {say('call')}
      </button>
      <Menu
        label={say('moreOf', { name: numberText(number) })}
        items={[
          { text: sayReach('text'), icon: 'text', run: () => writeText(number) },
          { text: say('fax'), icon: 'fax', run: () => faxBack(number) },
        ]}
      />
    </li>
  )
}
