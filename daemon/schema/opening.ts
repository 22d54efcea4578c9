/** Opening times as the configuration writes them: days, times of the day, dates. */

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const dayMs = 86_400_000

/** Minutes of the clock on the wall since midnight. Where `to` is not after `from`, it is that of the next day. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** Days since 1970-01-01, both included. */
export interface DateRange {
  readonly first: number
  readonly last: number
}

/** Opening times without a place: days and minutes are those of a clock on a wall. */
export interface Calendar {
  /** Monday first. */
  readonly week: readonly (readonly Interval[])[]
  readonly closedOn: readonly DateRange[]
  /** Times that count on these days alone, before all others. */
  readonly special: readonly (DateRange & { readonly times: readonly Interval[] })[]
}

type Times = Readonly<Record<string, readonly string[]>>

/** What cannot be read is left out. */
export function readCalendar(open: Times, closedOn: readonly string[], special: Times = {}): Calendar {
  const week: Interval[][] = Array.from({ length: 7 }, () => [])
  for (const [days, times] of Object.entries(open))
    for (const day of readDays(days) ?? []) week[day]!.push(...times.flatMap((text) => readInterval(text) ?? []))
  return {
    week,
    closedOn: closedOn.flatMap((text) => readDates(text) ?? []),
    special: Object.entries(special).flatMap(([dates, times]) => {
      const range = readDates(dates)
      return range === undefined ? [] : [{ ...range, times: times.flatMap((text) => readInterval(text) ?? []) }]
    }),
  }
}

/** @param day since 1970-01-01 */
export function isOpenOn(calendar: Calendar, day: number, minute: number): boolean {
  return (
    intervalsOf(calendar, day).some(({ from, to }) => minute >= from && (minute < to || to < from)) ||
    (goesOn(calendar, day) && intervalsOf(calendar, day - 1).some(({ from, to }) => to < from && minute < to))
  )
}

/** Whether a night that began the day before lasts into this one: not into a closed day, nor into one with other times of its own. */
function goesOn(calendar: Calendar, day: number): boolean {
  const special = specialOn(calendar, day)
  return special === undefined ? !isClosedOn(calendar, day) : special === specialOn(calendar, day - 1)
}

/** Minutes of a day at which it may change. */
export function boundariesOn(calendar: Calendar, day: number): readonly number[] {
  const overMidnight = intervalsOf(calendar, day - 1).filter(({ from, to }) => to < from)
  return [...new Set([0, ...[...intervalsOf(calendar, day), ...overMidnight].flatMap(({ from, to }) => [from, to])])]
}

/** Those that begin on that day. */
function intervalsOf(calendar: Calendar, day: number): readonly Interval[] {
  const special = specialOn(calendar, day)
  if (special !== undefined) return special
  // 1970-01-01 was a Thursday.
  return isClosedOn(calendar, day) ? [] : calendar.week[(((day + 3) % 7) + 7) % 7]!
}

function specialOn({ special }: Calendar, day: number): readonly Interval[] | undefined {
  return special.find(({ first, last }) => day >= first && day <= last)?.times
}

function isClosedOn({ closedOn }: Calendar, day: number): boolean {
  return closedOn.some(({ first, last }) => day >= first && day <= last)
}

/** Indexes of the days, Monday 0, of `mon`, `mon-fri` or `sat-mon`; undefined for anything else. */
export function readDays(text: string): number[] | undefined {
  const [first, last = first, ...more] = text.split('-').map((name) => weekdays.indexOf(name as (typeof weekdays)[number]))
  if (first === undefined || last === undefined || first < 0 || last < 0 || more.length > 0) return undefined
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7)
}

/** Reads `08:30-12:30`, `22:00-06:00`, `00:00-24:00`; undefined for anything else, and for one without any length. */
export function readInterval(text: string): Interval | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/.exec(text)
  if (match === null) return undefined
  const from = Number(match[1]) * 60 + Number(match[2])
  const to = match[3] === undefined ? 1440 : Number(match[3]) * 60 + Number(match[4])
  return from === to ? undefined : { from, to }
}

/** Reads `2026-12-25` and `2026-12-24/2026-12-26`; undefined for anything else. */
export function readDates(text: string): DateRange | undefined {
  const [first, last = first, ...more] = text.split('/').map(readDate)
  if (first === undefined || last === undefined || last < first || more.length > 0) return undefined
  return { first, last }
}

function readDate(text: string): number | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // 30 February is read as 2 March.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) return undefined
  return at / dayMs
}
