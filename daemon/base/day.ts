/** Days of a place: a day is its date there as text, `2026-03-08`. */
import { DateTime } from 'luxon'

interface Day {
  readonly day: string
  /** Milliseconds since the epoch; `end` is the first of the next day. */
  readonly start: number
  readonly end: number
}

/** The day last asked for in each zone: looking one up costs as much as parsing a request. */
const lastDays = new Map<string, Day>()

/** The date in `zone`, an IANA name, at an instant (milliseconds since the epoch). */
export function dayAt(at: number, zone: string): string {
  const last = lastDays.get(zone)
  if (last !== undefined && at >= last.start && at < last.end) return last.day
  const time = DateTime.fromMillis(at, { zone })
  const day = time.toISODate() ?? ''
  lastDays.set(zone, { day, start: time.startOf('day').toMillis(), end: time.endOf('day').toMillis() + 1 })
  return day
}

/** `2026-03-08 14:05`, of the clock on the wall there, for sentences. */
export function wallTime(at: number, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd HH:mm')
}

/** Milliseconds from an instant to the beginning of the next day in `zone`. */
export function msToNextDay(at: number, zone: string): number {
  return DateTime.fromMillis(at, { zone }).plus({ days: 1 }).startOf('day').toMillis() - at
}
