/** Faxes that came in: the list, the pages of one, and what becomes of it. */
import { useSignal, useSignalEffect, type Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { send } from '../../frame/api.ts'
import { afterAsking } from '../../frame/deeds.ts'
import { query } from '../../frame/router.ts'
import { may } from '../../frame/session.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu } from '../../pieces/Menu.tsx'
import { foreign, Foreign, numberText, Person, PhoneNumber } from '../../pieces/Number.tsx'
import { FaultNote, Loading } from '../../pieces/Panel.tsx'
import { lengthText, timeText } from '../../pieces/time.ts'
import { Time } from '../../pieces/Time.tsx'
import { findWork, workOf, sayWork } from '../../pieces/work.ts'
import { WorkBox, WorkState } from '../../pieces/WorkBox.tsx'
import { olderReceived, received, receivedFaxes, underWay, type ReceivedFax } from './data.ts'
import { FaxRows, useOlder } from './FaxRows.tsx'
import { MailOn } from './MailOn.tsx'
import { PageImage } from './PageImage.tsx'
import { SendingList } from './Sending.tsx'
import { Viewer } from './Viewer.tsx'
import { say } from './words.ts'

export interface ReceivedProps {
  readonly head: ComponentChildren
  readonly foot: ComponentChildren
  readonly faxTo: (number: string) => void
}

const addressOf = (fax: ReceivedFax): string => `/api/inbox/faxes/${encodeURIComponent(fax.id)}`

function nameOf(fax: ReceivedFax): string {
  return findWork('fax', fax.id)?.callerName || fax.callerName || ''
}

/** What the field of the list looks for. */
function fits(fax: ReceivedFax, sought: string): boolean {
  if (sought.trim() === '') return true
  const text = `${nameOf(fax)} ${fax.from} ${numberText(fax.from)} ${fax.remoteStationId} ${timeText(fax.receivedAt)}`.toLowerCase()
  return text.includes(sought.trim().toLowerCase())
}

export function ReceivedPane({ head, foot, faxTo }: ReceivedProps) {
  const openOnly = useSignal(true)
  const sought = useSignal('')
  const shownId = useSignal<string | undefined>(undefined)
  useSignalEffect(() => {
    // The Desk, or the search, leads to one fax.
    shownId.value = query.value.get('id') ?? shownId.peek()
  })
  const { open, closed } = workOf('fax')
  void [open.data.value, closed.data.value]
  const { older, more } = useOlder<ReceivedFax, number>(received.data.value && { next: received.data.value.nextBefore }, olderReceived)
  const newest = receivedFaxes()
  const all = [...newest, ...older.filter(({ id }) => !newest.some((one) => one.id === id))]
  const rows = all.filter((fax) => fits(fax, sought.value) && (!openOnly.value || findWork('fax', fax.id)?.state !== 'done'))
  const shown = all.find(({ id }) => id === shownId.value) ?? rows[0]
  return (
    <>
      <section class="panel" aria-label={say('received')}>
        {head}
        <Which sought={sought} openOnly={openOnly} />
        <div class="body">
          {received.fault.value === undefined ? null : (
            <FaultNote fault={received.fault.value} again={() => received.reload()} asOf={received.asOf.value} />
          )}
          {received.data.value === undefined && received.fault.value === undefined ? <Loading /> : null}
          {received.data.value !== undefined && rows.length === 0 ? (
            <p class="empty">{say(openOnly.value ? 'emptyOpen' : 'emptyReceived')}</p>
          ) : null}
          <FaxRows faxes={rows} idOf={({ id }) => id} shown={shown} shownId={shownId} row={(fax) => <Row fax={fax} />} more={more} />
        </div>
        {foot}
      </section>
      {shown === undefined ? (
        <section class="panel" aria-label={say('pages')}>
          <p class="empty">{say('noneChosen')}</p>
        </section>
      ) : (
        <Viewer
          key={shown.id}
          base={addressOf(shown)}
          pages={shown.pages}
          pdf={shown.mediaUrl}
          title={<Person name={nameOf(shown)} number={shown.from} />}
        />
      )}
      <div class="side">
        {shown === undefined ? null : <Side key={shown.id} fax={shown} faxTo={faxTo} />}
        <section class="panel" aria-label={say('sending')}>
          <header>
            <h2>{say('sending')}</h2>
            <span class="count">{underWay().length}</span>
          </header>
          <div class="body">
            <SendingList faxes={underWay()} />
          </div>
        </section>
      </div>
    </>
  )
}

/** Which faxes the list shows. */
function Which({ sought, openOnly }: { readonly sought: Signal<string>; readonly openOnly: Signal<boolean> }) {
  return (
    <div class="row">
      <input
        class="box"
        type="search"
        aria-label={say('seek')}
        placeholder={say('seek')}
        value={sought.value}
        onInput={(event) => (sought.value = event.currentTarget.value)}
      />
      <span class="seg" role="group" aria-label={say('which')}>
        <button type="button" aria-pressed={openOnly.value} onClick={() => (openOnly.value = true)}>
          {say('open')}
        </button>
        <button type="button" aria-pressed={!openOnly.value} onClick={() => (openOnly.value = false)}>
          {say('all')}
        </button>
      </span>
    </div>
  )
}

function Row({ fax }: { readonly fax: ReceivedFax }) {
  const work = findWork('fax', fax.id)
  const name = nameOf(fax)
  return (
    <>
      <span class="thumb">
        <PageImage base={addressOf(fax)} page={1} width={80} alt="" />
      </span>
      <span class="cut">
        {name === '' ? <PhoneNumber number={fax.from === '' ? null : fax.from} class="who" /> : <Foreign text={name} class="who" />}
      </span>
      <span class="at">
        <Time at={fax.receivedAt} />
      </span>
      <span class="l2">
        {say('pagesCount', { n: fax.pages })} {fax.complete ? null : <span class="tag amber">{say('partial')}</span>}
      </span>
      {fax.complete ? null : <span class="l2">{say('broke', { n: fax.pages })}</span>}
      <span class="l2">
        <WorkState item={work} />
      </span>
    </>
  )
}

function Side({ fax, faxTo }: { readonly fax: ReceivedFax; readonly faxTo: (number: string) => void }) {
  const mailing = useSignal(false)
  const work = findWork('fax', fax.id)
  const erase = async (): Promise<void> => {
    const question = { title: say('deleteTitle'), lost: say('deleteLost', { n: fax.pages }), button: say('delete') }
    await afterAsking(question, () => send('DELETE', addressOf(fax)), say('deleted'))
  }
  const more = (
    <>
      {fax.from === '' ? null : (
        <button type="button" class="btn" onClick={() => faxTo(fax.from)}>
          <Icon name="back" />
          {say('faxBack')}
        </button>
      )}
      <Menu
        items={[
          { text: say('mailOn'), icon: 'send', run: () => (mailing.value = true) },
          ...(may('erase') ? [{ text: say('delete'), icon: 'trash' as const, danger: true, run: () => void erase() }] : []),
        ]}
      />
    </>
  )
  return (
    <section class="panel" aria-label={say('thisFax')}>
      <header>
        <h2>{say('thisFax')}</h2>
        <span class="grow" />
        {work === undefined ? null : (
          <span class={`tag ${work.state === 'open' ? 'accent' : 'green'}`}>{sayWork(work.state === 'open' ? 'open' : 'done')}</span>
        )}
      </header>
      <div class="body">
        <dl class="facts">
          <dt>{say('from')}</dt>
          <dd>
            <Person name={nameOf(fax)} number={fax.from === '' ? null : fax.from} />
          </dd>
          {fax.remoteStationId === '' ? null : (
            <>
              <dt>{say('station')}</dt>
              <dd>
                <Foreign text={fax.remoteStationId} />
              </dd>
            </>
          )}
          <dt>{say('arrived')}</dt>
          <dd>{say('arrivedIn', { time: timeText(fax.receivedAt), length: lengthText(fax.durationSeconds * 1_000) })}</dd>
          <dt>{say('pages')}</dt>
          <dd>
            {fax.complete ? say('allComplete', { n: fax.pages }) : <span class="amber">{foreign(say('broke', { n: fax.pages }))}</span>}
          </dd>
        </dl>
        {work === undefined ? (
          <div class="form acts">{more}</div>
        ) : (
          <WorkBox key={work.id} item={work}>
            {more}
          </WorkBox>
        )}
      </div>
      {mailing.value ? <MailOn fax={fax} close={() => (mailing.value = false)} /> : null}
    </section>
  )
}
