/** Periods of the clock on the wall: which one a moment belongs to, and all of them from one moment to another. */
import { DateTime } from 'luxon'

export const bucketKinds = ['hour', 'day', 'week', 'month', 'all'] as const
export type BucketKind = (typeof bucketKinds)[number]

const hourMs = 3_600_000
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** `mon-09`: the hour from nine to ten on Mondays, in `zone`. */
export function weekdayHour(at: number, zone: string): string {
  const { weekday, hour } = DateTime.fromMillis(at, { zone })
  return `${weekdays[weekday - 1]}-${String(hour).padStart(2, '0')}`
}

export const weekdayHours: readonly string[] = weekdays.flatMap((day) =>
  Array.from({ length: 24 }, (_, hour) => `${day}-${String(hour).padStart(2, '0')}`),
)

export class Periods {
  readonly #kind: BucketKind
  readonly #from: number
  readonly #zone: string
  /** The one asked for last: hours come in order. */
  #last = { start: 0, end: 0 }

  /** `from`: where the whole begins. */
  constructor(kind: BucketKind, from: number, zone: string) {
    this.#kind = kind
    this.#from = from
    this.#zone = zone
  }

  /** Beginning of the period of an hour that began at `at`. */
  startOf(at: number): number {
    const kind = this.#kind
    if (kind === 'all') return this.#from
    if (kind === 'hour') return at
    if (at >= this.#last.start && at < this.#last.end) return this.#last.start
    const start = DateTime.fromMillis(at, { zone: this.#zone }).startOf(kind)
    this.#last = {
      start: start.toMillis(),
      end: start
        .plus({ [kind]: 1 })
        .startOf(kind)
        .toMillis(),
    }
    return this.#last.start
  }

  /** All that begin before `to`, the first of them where the whole begins; `Infinity` and more than `most` where there are more. */
  until(to: number, most: number): number[] {
    const starts = [this.startOf(this.#from)]
    for (let at = this.#next(starts[0]!); at < to && starts.length <= most && this.#kind !== 'all'; at = this.#next(at)) starts.push(at)
    return starts
  }

  #next(start: number): number {
    if (this.#kind === 'all') return Infinity
    // An hour of the clock on the wall lasts an hour: where the clock is set by half an hour, that counts with the one before it.
    if (this.#kind === 'hour') return start + hourMs
    return DateTime.fromMillis(start, { zone: this.#zone })
      .plus({ [this.#kind]: 1 })
      .startOf(this.#kind)
      .toMillis()
  }
}

/** `2026-03-02` there, or a time; undefined for neither. `end`: of a day, its end. */
export function momentIn(text: string, zone: string, end: boolean): number | undefined {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const time = DateTime.fromISO(text, { zone })
  if (!time.isValid) return undefined
  return (isDay && end ? time.plus({ days: 1 }) : time).toMillis()
}

/** Where the day of a moment began there. */
export function startOfDay(at: number, zone: string): number {
  return DateTime.fromMillis(at, { zone }).startOf('day').toMillis()
}
