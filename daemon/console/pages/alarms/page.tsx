/** Alarms: what is the matter with the box, whom the rules notify of it and when again, and what there was before. */
import { useState } from 'preact/hooks'
import type { AlarmsView, AlarmTestView } from '../../../schema/alarms.ts'
import type { LineView } from '../../../schema/operation.ts'
import type { BoxEventKind } from '../../../schema/states.ts'
import { Fault, send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { BoxEvent, endText, EventText, Notified, Severity, type BoxEventPage } from '../../pieces/BoxEvent.tsx'
import { sayBox } from '../../pieces/box-words.ts'
import { Foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { timeText } from '../../pieces/time.ts'
import { say } from './words.ts'

const lasting = thing<BoxEventPage>('/api/box/events?limit=200&lasting=true', ['box'])
const alarms = thing<AlarmsView>('/api/alarms', ['box'])

export default function Alarms() {
  return (
    <div class="columns wide">
      <Open />
      <Due />
      <Rules />
      <History />
    </div>
  )
}

function Open() {
  const lines = may('box') ? thing<readonly LineView[]>('/api/lines', ['box', 'extensions']).data.value : undefined
  const ids = lines?.map(({ id }) => id) ?? []
  const changed = (): Promise<unknown> => Promise.all([lasting.reload(), alarms.reload()])
  const open = lasting.data.value?.items.filter(({ acknowledgedAt }) => acknowledgedAt === null).length ?? 0
  const takeAll = async (): Promise<void> => {
    try {
      const { acknowledged } = await send<{ acknowledged: number }>('POST', '/api/alarms/acknowledge', {})
      done(say('taken', { n: acknowledged }))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
    await changed()
  }
  return (
    <Panel
      title={say('events')}
      count={lasting.data.value?.items.length ?? ''}
      thing={lasting}
      isEmpty={({ items }) => items.length === 0}
      empty={<span class="green">{say('eventsEmpty')}</span>}
      aside={
        may('alarms') && open > 1 ? (
          <button type="button" class="btn small" onClick={() => void takeAll()}>
            {say('takeAll')}
          </button>
        ) : null
      }
    >
      {({ items }) =>
        items
          .toSorted((a, b) => bySeverity[a.severity] - bySeverity[b.severity])
          .map((event) => <BoxEvent key={event.eventId} event={event} lines={ids} changed={changed} />)
      }
    </Panel>
  )
}

/** The worst first. */
const bySeverity = { error: 0, warning: 1, notice: 2 } as const

const ways = { mail: 'wayMail', sms: 'waySms', call: 'wayCall', webhook: 'wayWebhook' } as const
const wayText = (way: string): string => (Object.hasOwn(ways, way) ? say(ways[way as keyof typeof ways]) : way)

type Alarm = AlarmsView['alarms'][number]

function Due() {
  return (
    <Panel title={say('alarms')} thing={alarms} isEmpty={(view) => view.alarms.length === 0} empty={say('alarmsEmpty')}>
      {(view) => (
        <Table
          caption={say('alarms')}
          rows={view.alarms}
          keyOf={({ rule, event }) => `${rule} ${event.eventId}`}
          columns={[
            { head: say('alarm'), cell: ({ event }) => <EventText text={event.text} />, isHead: true },
            { head: say('rule'), cell: ({ rule }) => <bdi>{rule}</bdi> },
            { head: say('sent'), cell: sentText },
            { head: say('next'), cell: ({ nextAt }) => (nextAt === null ? say('nextNone') : <Time at={nextAt} />), class: 'muted' },
          ]}
        />
      )}
    </Panel>
  )
}

const sentText = ({ times, toldAt }: Alarm): string =>
  toldAt === null ? say('sentNone') : say('sentTimes', { n: times, time: timeText(toldAt) })

type Rule = AlarmsView['rules'][number]

function Rules() {
  const [seen, setSeen] = useState<AlarmTestView>([])
  const test = async (rule: string): Promise<void> => {
    try {
      setSeen(await send<AlarmTestView>('POST', '/api/alarms/test', { rule }))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
  }
  return (
    <Panel title={say('rules')} thing={alarms} isEmpty={({ rules }) => rules.length === 0} empty={say('rulesEmpty')}>
      {({ rules }) => (
        <>
          <Table
            caption={say('rules')}
            rows={rules}
            keyOf={({ id }) => id}
            columns={[
              { head: say('rule'), cell: ({ id }) => <bdi>{id}</bdi>, isHead: true },
              { head: say('eventsOf'), cell: eventsText },
              { head: say('severity'), cell: ({ severity }) => sayBox(severity) },
              { head: say('notify'), cell: (rule) => <Addressees rule={rule} /> },
              ...(may('alarms') ? [{ head: '', cell: (rule: Rule) => <Test rule={rule} test={test} />, class: 'r' }] : []),
            ]}
          />
          {seen.map(({ rule, way, to, ok, error }) => (
            <p key={`${rule} ${way} ${to}`} class={`row ${ok ? 'green' : 'red'}`} role="status">
              <span>{say('testResult', { rule })}</span>
              <Foreign text={`${wayText(way)} ${to}: ${ok ? say('testOk') : error}`} />
            </p>
          ))}
        </>
      )}
    </Panel>
  )
}

const eventsText = ({ events }: Rule) => (events.length === 0 ? say('everyEvent') : <code>{events.join(', ')}</code>)

function Addressees({ rule: { notify, now } }: { readonly rule: Rule }) {
  return (
    <span>
      {notify.map(({ way, to }) => (
        <span key={`${way} ${to}`}>
          {wayText(way)} <Foreign text={to} />
          <br />
        </span>
      ))}
      {now ? null : <span class="tag amber">{say('notNow')}</span>}
    </span>
  )
}

function Test({ rule, test }: { readonly rule: Rule; readonly test: (rule: string) => Promise<void> }) {
  return (
    <button type="button" class="btn small" onClick={() => void test(rule.id)}>
      {say('test')}
    </button>
  )
}

const kinds = {
  ...({ line: 'kindLine', part: 'kindPart', warning: 'kindWarning', disk: 'kindDisk' } as const),
  ...({ clock: 'kindClock', update: 'kindUpdate', login: 'kindLogin', daemon: 'kindDaemon' } as const),
} as const satisfies Record<BoxEventKind, string>

const pageSize = 40

function History() {
  const [kind, setKind] = useState('')
  /** Cursors of the pages on the way to this one. */
  const [way, setWay] = useState<readonly string[]>([])
  const query = new URLSearchParams({
    ...{ limit: String(pageSize) },
    ...(kind === '' ? {} : { kind }),
    ...(way.length === 0 ? {} : { cursor: way.at(-1)! }),
  })
  const page = thing<BoxEventPage>(`/api/box/events?${query.toString()}`, way.length === 0 ? ['box'] : [])
  const next = page.data.value?.nextCursor ?? null
  return (
    <Panel
      title={say('history')}
      thing={page}
      isEmpty={({ items }) => items.length === 0}
      empty={say('historyEmpty')}
      aside={
        <label class="small">
          {say('kind')}{' '}
          <select class="pick" value={kind} onChange={(event) => (setKind(event.currentTarget.value), setWay([]))}>
            <option value="">{say('all')}</option>
            {Object.entries(kinds).map(([one, name]) => (
              <option key={one} value={one}>
                {say(name)}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {({ items }) => (
        <>
          <ol>
            {items.map((event) => (
              <Past key={event.eventId} event={event} />
            ))}
          </ol>
          {way.length === 0 && next === null ? null : (
            <p class="row">
              <button type="button" class="btn small" disabled={way.length === 0} onClick={() => setWay(way.slice(0, -1))}>
                {say('newer')}
              </button>
              <button type="button" class="btn small" disabled={next === null} onClick={() => next !== null && setWay([...way, next])}>
                {say('older')}
              </button>
            </p>
          )}
        </>
      )}
    </Panel>
  )
}

function Past({ event }: { readonly event: BoxEventPage['items'][number] }) {
  return (
    <li class="row">
      <Severity severity={event.severity} ended={event.until !== null} />
      <span class="grow">
        <EventText text={event.text} />
        <br />
        <span class="small muted">
          <Time at={event.since} /> {event.until === null ? say('lasts') : endText(event)} <code class="faint">{event.code}</code>{' '}
          {event.told.length === 0 ? null : <Notified event={event} />}
        </span>
      </span>
    </li>
  )
}
