/** Figures: how it went, from a day to two years, as pictures with their tables. A person of the desk sees the own queues of today. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { go, query } from '../../frame/router.ts'
import { may, me } from '../../frame/session.ts'
import type { Thing } from '../../frame/state.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Loading, Panel } from '../../pieces/Panel.tsx'
import { dateFormat, dayAfter, dayOf } from '../../pieces/time.ts'
import { Answers } from './Answers.tsx'
import { CallsByHour, MissedOverTime, QueueDay, Waited, WaitsOverTime } from './Charts.tsx'
import { figures, figuresOf, type RangeFigures } from './data.ts'
import { daysOf, lastDays, middle, rangeOf, sameRange, today, within, type Range } from './range.ts'
import { Colleagues, Faxes, Queues, Reminders, Texts } from './Tables.tsx'
import { Week } from './Week.tsx'
import { say } from './words.ts'

export default function Figures() {
  return may('figures') ? <All /> : <OwnQueues />
}

/** What happens today is read again so often. */
const againMs = 60_000

function All() {
  const range = rangeOf(query.value)
  const of = useMemo(() => figuresOf(range), [range.from, range.to])
  const all = Object.values(of)
  useReading(all, range.to === today())
  // What was looked at before stays until all of the new days is there.
  const before = useRef<{ range: Range; of: RangeFigures } | undefined>(undefined)
  const isThere = all.map(({ data, fault }) => data.value !== undefined || fault.value !== undefined).every((there) => there)
  if (isThere) before.current = { range, of }
  const shown = before.current
  return (
    <div class={`figures ${isThere ? '' : 'looking'}`} aria-busy={!isThere}>
      <RangeBar range={range} onRange={(next) => go(`/figures?from=${next.from}&to=${next.to}`, { replace: true })} />
      {shown === undefined ? (
        <section class="panel">
          <Loading />
        </section>
      ) : (
        <Shown {...shown} />
      )}
    </div>
  )
}

function Shown({ range, of }: { readonly range: Range; readonly of: RangeFigures }) {
  const hasQueues = (of.queues.data.value?.buckets.length ?? 0) > 0
  return (
    <>
      <Since since={of.whole.data.value?.since} range={range} />
      <Answers range={range} of={of} />
      <div class="charts">
        <CallsByHour range={range} of={of} />
        <MissedOverTime range={range} of={of} />
        <WaitsOverTime range={range} of={of} />
        <Week range={range} of={of} />
      </div>
      <div class="charts">
        <Colleagues of={of} />
        {hasQueues ? (
          <Panel title={say('queues')} thing={of.queues}>
            {({ buckets }) => <Queues buckets={buckets} />}
          </Panel>
        ) : null}
      </div>
      <div class="charts three">
        <Faxes of={of} />
        <Texts of={of} />
        <Reminders of={of} />
      </div>
    </>
  )
}

function useReading(all: readonly Pick<Thing<unknown>, 'reload'>[], isToday: boolean): void {
  const kept = useRef(all)
  kept.current = all
  useEffect(() => {
    if (!isToday) return
    const timer = setInterval(() => kept.current.forEach((one) => void one.reload()), againMs)
    return () => clearInterval(timer)
  }, [isToday])
}

interface RangeBarProps {
  readonly range: Range
  readonly onRange: (range: Range) => void
}

function RangeBar({ range, onRange }: RangeBarProps) {
  // Today, and the same day a week ago.
  const days = Array.from({ length: 8 }, (_, n) => dayAfter(today(), n - 7))
  const lengths = [
    [say('days7'), 7],
    [say('days30'), 30],
    [say('year'), 365],
    [say('years2'), 730],
  ] as const
  const button = (text: preact.ComponentChildren, to: Range, key: string) => (
    <button key={key} type="button" aria-pressed={sameRange(range, to)} onClick={() => onRange(to)}>
      {text}
    </button>
  )
  const move = (by: number): void => onRange(within({ from: dayAfter(range.from, by), to: dayAfter(range.to, by) }))
  return (
    <div class="range" role="group" aria-label={say('range')}>
      <span class="seg">{days.map((day) => button(day === today() ? say('today') : dayText(day), { from: day, to: day }, day))}</span>
      <span class="seg">{lengths.map(([text, n]) => button(text, lastDays(n), text))}</span>
      <span class="acts">
        <button type="button" class="btn icon" aria-label={say('previous')} onClick={() => move(-daysOf(range))}>
          <Icon name="left" />
        </button>
        <Day label={say('from')} value={range.from} onValue={(from) => onRange(within({ from, to: from > range.to ? from : range.to }))} />
        <Day label={say('to')} value={range.to} onValue={(to) => onRange(within({ from: to < range.from ? to : range.from, to }))} />
        <button type="button" class="btn icon" aria-label={say('next')} disabled={range.to >= today()} onClick={() => move(daysOf(range))}>
          <Icon name="right" />
        </button>
      </span>
    </div>
  )
}

/** `Mon 23`: the weekday first, since that is what people look for. */
const dayText = (day: string): string =>
  `${dateFormat({ weekday: 'short' }).format(middle(day))} ${dateFormat({ day: 'numeric' }).format(middle(day))}`

function Day({ label, value, onValue }: { readonly label: string; readonly value: string; readonly onValue: (day: string) => void }) {
  return (
    <label class="small">
      {label}{' '}
      <input
        class="pick"
        type="date"
        max={today()}
        value={value}
        onChange={(event) => event.currentTarget.value !== '' && onValue(event.currentTarget.value)}
      />
    </label>
  )
}

/** That the box counts since a day within the range. */
function Since({ since, range }: { readonly since: string | undefined; readonly range: Range }) {
  if (since === undefined || dayOf(Date.parse(since)) <= range.from) return null
  return (
    <p class="note" role="status">
      {say('notSince', { date: dateFormat({ dateStyle: 'long' }).format(Date.parse(since)) })}
    </p>
  )
}

function OwnQueues() {
  const day = today()
  const range = { from: day, to: day }
  const names = figures('queues', range, { bucket: 'all', by: 'queue' })
  const hours = figures('queues', range, { bucket: 'hour' })
  const whole = figures('queues', range, { bucket: 'all' })
  useReading([names, hours, whole], true)
  if (me.value?.queues.length === 0) return <Panel title={say('myQueues')}>{<p class="empty">{say('noQueues')}</p>}</Panel>
  const wait = whole.data.value?.buckets[0]?.wait
  return (
    <div class="figures">
      <Panel title={say('myQueues')} thing={names} aside={wait === undefined ? null : <Waited wait={wait} />}>
        {({ buckets }) => <Queues buckets={buckets} />}
      </Panel>
      <Panel title={say('byHour')} thing={hours}>
        {(found) => <QueueDay figures={found} />}
      </Panel>
    </div>
  )
}
