/** Lines with their last week, phones that are away, and the calls of today. */
import type { HealthDetails } from '../../../schema/health.ts'
import { house } from '../../frame/house.ts'
import { lineState } from '../../pieces/box-words.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { LineState, Strip } from '../../pieces/Strip.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { timeText } from '../../pieces/time.ts'
import { say } from './words.ts'

const week = 7

export function Lines({ lines }: { readonly lines: HealthDetails['lines'] }) {
  const up = lines.filter(({ ok }) => ok).length
  return (
    <Panel
      title={say('lines')}
      count={lines.length === 0 ? '' : say('linesUp', { n: up, all: lines.length })}
      aside={
        <a class="small" href="/lines">
          {say('moreLines')}
        </a>
      }
    >
      {lines.length === 0 ? (
        <p class="empty">{say('linesNone')}</p>
      ) : (
        <Table
          caption={say('lines')}
          rows={lines}
          keyOf={({ id }) => id}
          columns={[
            { head: say('line'), cell: ({ id }) => <bdi>{id}</bdi>, isHead: true },
            {
              head: say('kind'),
              cell: ({ kind, id }) => say(kind === 'line' ? 'lineModem' : id.startsWith('site:') ? 'lineSite' : 'lineTrunk'),
              class: 'muted',
            },
            {
              head: say('state'),
              cell: (line) => <LineState {...line} />,
            },
            { head: say('since'), cell: ({ since }) => <Time at={since} />, class: 'muted nowrap' },
            { head: say('inUse'), cell: ({ activeCalls, channels }) => inUse(activeCalls, channels), class: 'r num' },
            {
              head: say('lastDays'),
              cell: ({ outages, unknown }) => <Strip outages={outages} unknown={unknown} days={week} />,
              class: 'week',
            },
          ]}
        />
      )}
    </Panel>
  )
}

export const inUse = (calls: number, channels: number): string => (channels === 0 ? String(calls) : `${calls} / ${channels}`)

export function Phones({ phones: { registered, away } }: { readonly phones: HealthDetails['phones'] }) {
  const all = registered + away.length
  const nameOf = (id: string): string => house.data.value?.extensions.find(({ number }) => number === id)?.name ?? ''
  return (
    <Panel
      title={say('phones')}
      count={all === 0 ? '' : say('connected', { n: registered, all })}
      aside={
        <a class="btn small" href="/lines#phones">
          {say('addPhone')}
        </a>
      }
    >
      {away.length === 0 ? <p class={`empty ${all === 0 ? '' : 'green'}`}>{say(all === 0 ? 'phonesNone' : 'awayNone')}</p> : null}
      <ul>
        {away.map(({ id, state, since }) => (
          <li key={id} class="row away">
            <span class="lamp off" />
            <span class="num who">{id}</span>
            <span class="grow">{nameOf(id)}</span>
            <span class="small muted">{say('away', { state: lineState(state), time: timeText(since) })}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const kinds = ['inbound', 'answered', 'missed', 'abandoned', 'voicemail', 'outgoing'] as const

export function CallsToday({ calls: { today, active } }: { readonly calls: HealthDetails['calls'] }) {
  return (
    <Panel title={say('callsToday')} count={active === 0 ? '' : say('callsNow', { n: active })}>
      <dl class="tiles">
        {kinds.map((kind) => (
          <div key={kind}>
            <dt>{say(kind)}</dt>
            <dd class={kind === 'missed' && today.missed > 0 ? 'amber' : ''}>{today[kind]}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
