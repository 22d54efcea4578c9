/** Which days are looked at: in the address of the page, so that a look can be kept and given to somebody. */
import { boxNow } from '../../frame/clock.ts'
import { dateFormat, dayAfter, dayOf, startOfDay } from '../../pieces/time.ts'

/** Days of the site, both included. */
export interface Range {
  readonly from: string
  readonly to: string
}

export type Bucket = 'hour' | 'day' | 'week' | 'month'

/** The figures of a box go back so far. */
export const mostDays = 731
/** The week is drawn of four weeks and more: of less it says nothing. */
const leastOfWeek = 28

export const today = (): string => dayOf(boxNow())

/** The last days, today included. */
export const lastDays = (days: number): Range => ({ from: dayAfter(today(), 1 - days), to: today() })

const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

/** Of the address; seven days where it has none, or none that can be. */
export function rangeOf(query: URLSearchParams): Range {
  const from = query.get('from')
  const to = query.get('to')
  return isDay(from) && isDay(to) ? within({ from, to }) : lastDays(7)
}

/** The end is not before the beginning, and all of it within what a box keeps. */
export function within({ from, to }: Range): Range {
  const end = to > today() ? today() : to
  const begin = from > end ? end : from
  const first = dayAfter(end, 1 - mostDays)
  return { from: begin < first ? first : begin, to: end }
}

export const sameRange = (a: Range, b: Range): boolean => a.from === b.from && a.to === b.to
export const daysOf = ({ from, to }: Range): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1

/** So that a chart has some tens of places. */
export function bucketOf(range: Range): Bucket {
  const days = daysOf(range)
  return days <= 2 ? 'hour' : days <= 62 ? 'day' : days <= 400 ? 'week' : 'month'
}

/** Days of which the week is drawn. */
export const weekRange = (range: Range): Range =>
  daysOf(range) >= leastOfWeek ? range : { from: dayAfter(range.to, 1 - leastOfWeek), to: range.to }

/** `on Monday, November 23` of a day; `November 21 – 27, 2026` of several. */
export function rangeText({ from, to }: Range): string {
  if (from === to) return dateFormat({ weekday: 'long', month: 'long', day: 'numeric' }).format(middle(from))
  return dateFormat({ year: 'numeric', month: 'short', day: 'numeric' }).formatRange(middle(from), middle(to))
}

/** Of a place in a chart. `at`: ISO 8601. */
export function placeText(at: string, bucket: Bucket, short: boolean): string {
  const moment = Date.parse(at)
  if (bucket === 'hour') return dateFormat({ ...(short ? {} : { weekday: 'short' }), hour: 'numeric' }).format(moment)
  if (bucket === 'month') return dateFormat({ month: 'short', year: short ? '2-digit' : 'numeric' }).format(moment)
  return dateFormat({ ...(short ? {} : { weekday: 'short' }), month: 'short', day: 'numeric' }).format(moment)
}

/** The middle of a day, which is that day by any clock. */
export const middle = (day: string): number => startOfDay(day) + 43_200_000
