/** Figures by name: colleagues, queues, and what became of faxes, texts and reminders. */
import type { FaxReason } from '../../../schema/states.ts'
import { queueName } from '../../frame/house.ts'
import { foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { lengthText } from '../../pieces/time.ts'
import { reasonText } from '../../pieces/words.ts'
import { waitsOf, type QueueBucket, type RangeFigures } from './data.ts'
import { whoText } from './Answers.tsx'
import { say } from './words.ts'

export interface TablesProps {
  readonly of: RangeFigures
}

export function Colleagues({ of }: TablesProps) {
  return (
    <Panel title={say('byColleague')} thing={of.colleagues} isEmpty={({ buckets }) => buckets.length === 0} empty={say('emptyColleagues')}>
      {({ buckets }) => {
        const most = Math.max(...buckets.map(({ answered, outgoing }) => answered + outgoing), 1)
        return (
          <Table
            caption={say('byColleague')}
            rows={buckets.toSorted((a, b) => b.answered + b.outgoing - a.answered - a.outgoing)}
            keyOf={({ key }) => key}
            columns={[
              {
                head: say('colleague'),
                isHead: true,
                cell: ({ key, answered, outgoing }) => <Meter text={whoText(key)} share={(answered + outgoing) / most} />,
              },
              { head: say('answeredHere'), class: 'r', cell: ({ answered }) => answered },
              { head: say('calledOut'), class: 'r', cell: ({ outgoing }) => outgoing },
              { head: say('calledBack'), class: 'r', cell: ({ returned }) => returned },
              { head: say('rangInVain'), class: 'r', cell: ({ missed }) => missed },
              { head: say('talk'), class: 'r', cell: ({ talkSeconds }) => lengthText(talkSeconds * 1000) },
            ]}
          />
        )
      }}
    </Panel>
  )
}

function Meter({ text, share }: { readonly text: string; readonly share: number }) {
  return (
    <span class="metered">
      {text}
      <span class="meter" aria-hidden="true">
        <i style={{ width: `${Math.round(share * 100)}%` }} />
      </span>
    </span>
  )
}

export function Queues({ buckets }: { readonly buckets: readonly QueueBucket[] }) {
  if (buckets.length === 0) return <p class="empty">{say('emptyQueues')}</p>
  const time = (value: number | null): string => (value === null ? '–' : lengthText(value * 1000))
  return (
    <Table
      caption={say('queues')}
      rows={buckets}
      keyOf={({ key }) => key}
      columns={[
        { head: say('queue'), isHead: true, cell: ({ key }) => foreign(queueName(key)) },
        { head: say('offered'), class: 'r', cell: ({ offered }) => offered },
        { head: say('answered'), class: 'r', cell: ({ answered }) => answered },
        { head: say('abandoned'), class: 'r', cell: ({ abandoned }) => abandoned },
        { head: say('sentOn'), class: 'r', cell: ({ sentOn }) => sentOn },
        { head: say('soon'), class: 'r', cell: ({ wait }) => waitsOf(wait).soon ?? '–' },
        { head: say('half'), class: 'r', cell: ({ wait }) => time(waitsOf(wait).p50) },
        { head: say('most'), class: 'r', cell: ({ wait }) => time(waitsOf(wait).p95) },
      ]}
    />
  )
}

type Line = readonly [text: string, count: number]

/** Counts as bars and figures: their table is the picture. */
function Lines({ caption, lines }: { readonly caption: string; readonly lines: readonly Line[] }) {
  const most = Math.max(...lines.map(([, count]) => count), 1)
  return (
    <Table
      caption={caption}
      rows={lines}
      keyOf={([text]) => text}
      columns={[
        { head: caption, isHead: true, cell: ([text, count]) => <Meter text={text} share={count / most} /> },
        { head: say('number'), class: 'r', cell: ([, count]) => count },
      ]}
    />
  )
}

const some = (lines: readonly Line[]): Line[] => lines.filter(([, count]) => count > 0)

export function Faxes({ of }: TablesProps) {
  return (
    <Panel title={say('faxes')} thing={of.faxes}>
      {({ buckets: [one] }) => {
        if (one === undefined) return null
        const whole: readonly Line[] = [
          ...([
            [say('sent'), one.sent],
            [say('received'), one.received],
            [say('canceled'), one.canceled],
          ] as const),
          ...([
            [say('withoutPage'), one.withoutPage],
            [say('pagesOut'), one.pagesSent],
            [say('pagesIn'), one.pagesReceived],
          ] as const),
        ]
        const reasons = Object.entries(one.reasons).toSorted(([, a], [, b]) => b - a)
        const failed = reasons.map(([reason, count]): Line => [`${say('failed')}: ${reasonText(reason as FaxReason)}`, count])
        const lines = some([...whole, ...failed])
        return lines.length === 0 ? <p class="empty">{say('emptyFaxes')}</p> : <Lines caption={say('faxes')} lines={lines} />
      }}
    </Panel>
  )
}

export function Texts({ of }: TablesProps) {
  return (
    <Panel title={say('texts')} thing={of.texts}>
      {({ buckets: [one] }) => {
        if (one === undefined) return null
        const lines = some([
          ...([
            [say('delivered'), one.delivered],
            [say('sent'), one.sent],
            [say('received'), one.received],
          ] as const),
          ...([
            [say('textFailed'), one.failed],
            [say('unknown'), one.unknown],
          ] as const),
        ])
        return lines.length === 0 ? <p class="empty">{say('emptyTexts')}</p> : <Lines caption={say('texts')} lines={lines} />
      }}
    </Panel>
  )
}

export function Reminders({ of }: TablesProps) {
  return (
    <Panel title={say('reminders')} thing={of.reminders}>
      {({ buckets: [one] }) => {
        const outcomes = Object.entries(one?.outcomes ?? {}) as (readonly [Parameters<typeof say>[0], number])[]
        const lines = some(outcomes.map(([outcome, count]): Line => [say(`r-${outcome}` as Parameters<typeof say>[0]), count]))
        return lines.length === 0 ? <p class="empty">{say('emptyReminders')}</p> : <Lines caption={say('reminders')} lines={lines} />
      }}
    </Panel>
  )
}
