/** The figures of a range as the box has them, and what follows from them: pure but for the asking. */
import type { CallFiguresView, FaxFiguresView, QueueFiguresView, ReminderFiguresView, TextFiguresView } from '../../../schema/figures.ts'
import { thing, type Thing } from '../../frame/state.ts'
import { dateFormat } from '../../pieces/time.ts'
import { bucketOf, weekRange, type Range } from './range.ts'

export type CallBucket = CallFiguresView['buckets'][number]
export type QueueBucket = QueueFiguresView['buckets'][number]
export type Waits = CallBucket['wait']

interface Kinds {
  readonly calls: CallFiguresView
  readonly queues: QueueFiguresView
  readonly faxes: FaxFiguresView
  readonly texts: TextFiguresView
  readonly reminders: ReminderFiguresView
}

export function figures<K extends keyof Kinds>(kind: K, { from, to }: Range, how: Readonly<Record<string, string>>): Thing<Kinds[K]> {
  return thing<Kinds[K]>(`/api/figures/${kind}?${new URLSearchParams({ from, to, ...how })}`, [])
}

/** All that the page shows of a range. */
export function figuresOf(range: Range) {
  const all = { bucket: 'all' }
  const time = { bucket: bucketOf(range) }
  const week = { by: 'weekday-hour' }
  return {
    whole: figures('calls', range, all),
    overTime: figures('calls', range, time),
    hours: figures('calls', range, week),
    colleagues: figures('calls', range, { ...all, by: 'extension' }),
    queues: figures('queues', range, { ...all, by: 'queue' }),
    weekOfCalls: figures('calls', weekRange(range), week),
    weekOfQueues: figures('queues', weekRange(range), week),
    faxes: figures('faxes', range, all),
    texts: figures('texts', range, all),
    reminders: figures('reminders', range, all),
  }
}
export type RangeFigures = ReturnType<typeof figuresOf>

/** Of fewer calls a share says nothing. */
export const leastForShares = 10

/** `78 %`; undefined of too few. */
export function shareText(part: number, of: number): string | undefined {
  return of < leastForShares ? undefined : percent(part / of)
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** The shares of waits; null of too few. */
export function waitsOf({ count, within20Seconds, p50Seconds, p95Seconds }: Waits) {
  const few = count < leastForShares
  return {
    p50: few ? null : p50Seconds,
    p95: few ? null : p95Seconds,
    soon: few ? null : percent(within20Seconds / count),
  }
}

/** Nobody of the house talked with the caller, at the time. */
export const missedOf = ({ missed, abandoned, voicemail }: Pick<CallBucket, 'missed' | 'abandoned' | 'voicemail'>): number =>
  missed + abandoned + voicemail

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]
/** A Monday. */
const someMonday = Date.UTC(2026, 0, 5, 12)

export const weekdayText = (day: Weekday, width: 'long' | 'short'): string =>
  dateFormat({ weekday: width, timeZone: 'UTC' }).format(someMonday + weekdays.indexOf(day) * 86_400_000)

export function hourText(hour: number): string {
  return dateFormat({ hour: 'numeric', timeZone: 'UTC' }).format(Date.UTC(2026, 0, 5, hour))
}

/** `9 – 10 AM`. */
export function hoursText(hour: number): string {
  return dateFormat({ hour: 'numeric', timeZone: 'UTC' }).formatRange(Date.UTC(2026, 0, 5, hour), Date.UTC(2026, 0, 5, hour + 1))
}

/** Of `mon-09`. */
export function placeInWeek(key: string): { readonly day: Weekday; readonly hour: number } {
  return { day: key.slice(0, 3) as Weekday, hour: Number(key.slice(4)) }
}

/** Calls by the hour of the day, whatever the day. */
export function byHour(
  buckets: readonly CallBucket[],
): readonly Pick<CallBucket, 'answered' | 'missed' | 'abandoned' | 'voicemail' | 'other'>[] {
  const names = ['answered', 'missed', 'abandoned', 'voicemail', 'other'] as const
  const hours = Array.from({ length: 24 }, () => ({ answered: 0, missed: 0, abandoned: 0, voicemail: 0, other: 0 }))
  for (const bucket of buckets) for (const name of names) hours[placeInWeek(bucket.key).hour]![name] += bucket[name]
  return hours
}

/** From the first hour with something to the last; the hours of an office where there is nothing. */
export function busyHours(hours: readonly boolean[]): readonly number[] {
  const first = hours.indexOf(true)
  const [from, to] = first === -1 ? [8, 17] : [first, hours.lastIndexOf(true)]
  return Array.from({ length: to - from + 1 }, (_, n) => from + n)
}

export interface Longest {
  readonly key: string
  /** Callers in that hour of the week. */
  readonly callers: number
  /** Seconds; null where there were too few to say. */
  readonly p50: number | null
  readonly p95: number | null
}

/** One hour of the week, of queues or, in a house without queues, of all calls. */
export interface WeekCell {
  readonly key: string
  readonly callers: number
  readonly missed: number
  readonly wait: Waits
}

export function weekCells(queues: readonly QueueBucket[], calls: readonly CallBucket[]): readonly WeekCell[] {
  const hasQueues = queues.some(({ offered }) => offered > 0)
  const queued = new Map(queues.map((bucket) => [bucket.key, bucket]))
  return calls.map((bucket) => {
    const { key, inbound, wait } = bucket
    const queue = hasQueues ? queued.get(key) : undefined
    return { key, callers: queue?.offered ?? inbound, missed: missedOf(bucket), wait: queue?.wait ?? wait }
  })
}

/** The hour in which callers wait longest; the one with most callers, where no hour has enough for a share; undefined without calls. */
export function longestOf(cells: readonly WeekCell[]): Longest | undefined {
  const rated = cells.filter(({ wait }) => waitsOf(wait).p95 !== null)
  const by = (value: (cell: WeekCell) => number, of: readonly WeekCell[]): WeekCell | undefined =>
    of.toSorted((a, b) => value(b) - value(a) || b.callers - a.callers)[0]
  const found =
    by(({ wait }) => wait.p95Seconds!, rated) ??
    by(
      ({ callers }) => callers,
      cells.filter(({ callers }) => callers > 0),
    )
  if (found === undefined) return undefined
  const { p50, p95 } = waitsOf(found.wait)
  return { key: found.key, callers: found.callers, p50, p95 }
}
