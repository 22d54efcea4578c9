/** When a person may be called: the hours of the site on its days, in the zone of the reminder, and never early or late in the day. */
import { addDays, dayAt, instantOf, weekdayOf, type Weekday } from './zone.ts'

/** Minutes since local midnight; the end is excluded. */
export interface CallWindow {
  readonly from: number
  readonly to: number
  readonly days: readonly Weekday[]
}

export interface Span {
  readonly start: number
  /** Excluded. */
  readonly end: number
}

/** Nobody is called outside of these, whatever the configuration says: 08:00 to 21:00. */
export const earliestMinute = 8 * 60
export const latestMinute = 21 * 60
const everyDay: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
/** For a call that a person asks for. */
export const widestWindow: CallWindow = { from: earliestMinute, to: latestMinute, days: everyDay }

export function windowOf({ from, to, days }: { from: string; to: string; days: readonly Weekday[] }): CallWindow {
  return { from: Math.max(earliestMinute, minutes(from)), to: Math.min(latestMinute, minutes(to)), days }
}

function minutes(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number)
  return hour * 60 + minute
}

/** Null on a day without calls. */
export function spanOf(day: string, zone: string, { from, to, days }: CallWindow): Span | null {
  if (from >= to || !days.includes(weekdayOf(day))) return null
  return { start: instantOf(day, from, zone), end: instantOf(day, to, zone) }
}

export function isOpen(at: number, zone: string, window: CallWindow): boolean {
  const span = spanOf(dayAt(at, zone), zone, window)
  return span !== null && span.start <= at && at < span.end
}

/** What is left of each window from `earliest` to `latest`, in order. */
export function* openSpans(earliest: number, latest: number, zone: string, window: CallWindow): Iterable<Span & { readonly day: string }> {
  for (let day = dayAt(earliest, zone); instantOf(day, 0, zone) <= latest; day = addDays(day, 1)) {
    const span = spanOf(day, zone, window)
    if (span === null) continue
    const start = Math.max(span.start, earliest)
    const end = Math.min(span.end, latest + 1)
    if (start < end) yield { day, start, end }
  }
}

/** The working day that is `count` working days before `day`; `day` itself for 0. */
export function workingDayBefore(day: string, count: number, { days }: CallWindow): string {
  let at = day
  for (let left = count; left > 0;) {
    at = addDays(at, -1)
    if (days.includes(weekdayOf(at))) left -= 1
  }
  return at
}
