/** The week by the hour: how many call, how many are missed, and how long they wait. It is a table, whose cells are darker where there is more. */
import { useSignal } from '@preact/signals'
import { Panel } from '../../pieces/Panel.tsx'
import { lengthText } from '../../pieces/time.ts'
import {
  busyHours,
  hourText,
  placeInWeek,
  waitsOf,
  weekCells,
  weekdays,
  weekdayText,
  type CallBucket,
  type RangeFigures,
  type WeekCell,
} from './data.ts'
import { rangeText, weekRange, type Range } from './range.ts'
import { say } from './words.ts'

type Measure = 'wait' | 'callers' | 'missed'

export function Week({ range, of }: { readonly range: Range; readonly of: RangeFigures }) {
  const measure = useSignal<Measure>('callers')
  const choices: readonly (readonly [Measure, string])[] = [
    ['callers', say('weekCalls')],
    ['wait', say('weekWait')],
    ['missed', say('weekMissed')],
  ]
  return (
    <Panel
      title={say('week')}
      count={rangeText(weekRange(range))}
      thing={of.weekOfCalls}
      aside={
        <span class="seg" role="group" aria-label={say('what')}>
          {choices.map(([name, text]) => (
            <button key={name} type="button" aria-pressed={measure.value === name} onClick={() => (measure.value = name)}>
              {text}
            </button>
          ))}
        </span>
      }
    >
      {(figures) => <Heat calls={figures.buckets} of={of} measure={measure.value} />}
    </Panel>
  )
}

function Heat({ calls, of, measure }: { readonly calls: readonly CallBucket[]; readonly of: RangeFigures; readonly measure: Measure }) {
  const cells = new Map(weekCells(of.weekOfQueues.data.value?.buckets ?? [], calls).map((cell) => [cell.key, cell]))
  const hours = busyHours(
    Array.from({ length: 24 }, (_, hour) => [...cells.values()].some(({ key, callers }) => placeInWeek(key).hour === hour && callers > 0)),
  )
  const values = [...cells.values()].map((cell) => valueOf(cell, measure) ?? 0)
  const most = Math.max(...values, 1)
  return (
    <div class="scrolls" role="region" aria-label={say('week')} tabIndex={0}>
      <table class="heat">
        <caption class="vh">{say('week')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('hour')}</th>
            {weekdays.map((day) => (
              <th key={day} scope="col">
                <abbr title={weekdayText(day, 'long')}>{weekdayText(day, 'short')}</abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour}>
              <th scope="row" class="num nowrap">
                {hourText(hour)}
              </th>
              {weekdays.map((day) => (
                <HeatCell key={day} cell={cells.get(`${day}-${String(hour).padStart(2, '0')}`)} measure={measure} most={most} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function valueOf({ callers, missed, wait }: WeekCell, measure: Measure): number | null {
  return measure === 'callers' ? callers : measure === 'missed' ? missed : waitsOf(wait).p95
}

/** Steps of darkness. */
const steps = 6

function HeatCell({ cell, measure, most }: { readonly cell: WeekCell | undefined; readonly measure: Measure; readonly most: number }) {
  const value = cell === undefined ? 0 : valueOf(cell, measure)
  const step = value === null || value === 0 ? 0 : Math.max(1, Math.ceil((value / most) * steps))
  const few = value === null && (cell?.callers ?? 0) > 0
  const title = `${say('cellCalls', { n: cell?.callers ?? 0 })}${few ? `, ${say('cellFew')}` : ''}`
  return (
    <td class={`heat-${step} num`} title={title}>
      {value === null ? (few ? '·' : '') : value === 0 ? '' : measure === 'wait' ? lengthText(value * 1000) : value}
    </td>
  )
}
