/** The charts of calls: by the hour of the day, over time, and how long callers wait. */
import type { CallFiguresView, QueueFiguresView } from '../../../schema/figures.ts'
import { figure } from '../../frame/words.ts'
import { Chart } from '../../pieces/Chart.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { lengthText } from '../../pieces/time.ts'
import { byHour, busyHours, hoursText, hourText, missedOf, waitsOf, type RangeFigures, type Waits } from './data.ts'
import { bucketOf, placeText, type Bucket, type Range } from './range.ts'
import { say } from './words.ts'

export interface ChartsProps {
  readonly range: Range
  readonly of: RangeFigures
}

export function CallsByHour({ of }: ChartsProps) {
  return (
    <Panel title={say('byHour')} thing={of.hours}>
      {(figures) => <ByHour buckets={figures.buckets} />}
    </Panel>
  )
}

function ByHour({ buckets }: Pick<CallFiguresView, 'buckets'>) {
  const all = byHour(buckets)
  const hours = busyHours(all.map((one) => Object.values(one).some((n) => n > 0)))
  const of = (name: keyof (typeof all)[number]): number[] => hours.map((hour) => all[hour]![name])
  return (
    <Chart
      caption={say('byHour')}
      kind="bars"
      of={say('hour')}
      labels={hours.map(hoursText)}
      short={hours.map(hourText)}
      series={[
        { name: say('answered'), colour: 'accent', values: of('answered') },
        { name: say('left'), colour: 'blue', values: of('voicemail') },
        { name: say('abandoned'), colour: 'amber', values: of('abandoned') },
        { name: say('missed'), colour: 'red', values: of('missed') },
      ]}
      more={[{ head: say('other'), cell: (n) => figure(of('other')[n] ?? 0) }]}
    />
  )
}

const labelsOf = (buckets: readonly { readonly at: string | null }[], bucket: Bucket, short: boolean): string[] =>
  buckets.map(({ at }) => placeText(at!, bucket, short))

export function MissedOverTime({ range, of }: ChartsProps) {
  const bucket = bucketOf(range)
  return (
    <Panel title={say('missedReturned')} thing={of.overTime}>
      {({ buckets }) => (
        <Chart
          caption={say('missedReturned')}
          kind="bars"
          of={say('overTime')}
          labels={labelsOf(buckets, bucket, false)}
          short={labelsOf(buckets, bucket, true)}
          series={[
            { name: say('calledBack'), colour: 'green', values: buckets.map(({ returned }) => returned) },
            { name: say('notReturned'), colour: 'red', values: buckets.map((one) => missedOf(one) - one.returned) },
          ]}
          more={[
            { head: say('answered'), cell: (n) => figure(buckets[n]!.answered) },
            { head: say('missed'), cell: (n) => figure(buckets[n]!.missed) },
            { head: say('abandoned'), cell: (n) => figure(buckets[n]!.abandoned) },
            { head: say('left'), cell: (n) => figure(buckets[n]!.voicemail) },
          ]}
        />
      )}
    </Panel>
  )
}

const seconds = (value: number): string => lengthText(value * 1000)

export function WaitsOverTime({ range, of }: ChartsProps) {
  const bucket = bucketOf(range)
  const whole = of.whole.data.value?.buckets[0]
  return (
    <Panel title={say('waits')} thing={of.overTime} aside={whole === undefined ? null : <Waited wait={whole.wait} />}>
      {({ buckets }) => {
        const waits = buckets.map(({ wait }) => waitsOf(wait))
        if (waits.every(({ p50 }) => p50 === null)) return <p class="empty">{say('fewEach')}</p>
        return (
          <Chart
            caption={say('waits')}
            kind="lines"
            of={say('overTime')}
            format={seconds}
            labels={labelsOf(buckets, bucket, false)}
            short={labelsOf(buckets, bucket, true)}
            series={[
              { name: say('half'), colour: 'accent', values: waits.map(({ p50 }) => p50) },
              { name: say('most'), colour: 'amber', values: waits.map(({ p95 }) => p95) },
            ]}
            more={[
              { head: say('soon'), cell: (n) => waits[n]!.soon ?? '–' },
              { head: say('answered'), cell: (n) => figure(buckets[n]!.wait.count) },
            ]}
          />
        )
      }}
    </Panel>
  )
}

/** `78 % within 20 s`, or that there are too few calls for it. */
export function Waited({ wait }: { readonly wait: Waits }) {
  const { p50, p95, soon } = waitsOf(wait)
  if (soon === null) return <span class="small muted">{say('few')}</span>
  return (
    <span class="small muted num">
      {say('soon')}: <b>{soon}</b> · {say('half')} <b>{seconds(p50 ?? 0)}</b> · {say('most')} <b>{seconds(p95 ?? 0)}</b>
    </span>
  )
}

/** Of queues, over the hours of a day. */
export function QueueDay({ figures }: { readonly figures: QueueFiguresView }) {
  const { buckets } = figures
  return (
    <Chart
      caption={say('queues')}
      kind="bars"
      of={say('hour')}
      labels={labelsOf(buckets, 'hour', true)}
      series={[
        { name: say('answered'), colour: 'accent', values: buckets.map(({ answered }) => answered) },
        { name: say('sentOn'), colour: 'blue', values: buckets.map(({ sentOn }) => sentOn) },
        { name: say('abandoned'), colour: 'amber', values: buckets.map(({ abandoned }) => abandoned) },
      ]}
    />
  )
}
