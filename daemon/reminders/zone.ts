/**
 * Local time. A day is its date as text (`2026-03-08`), a minute counts from midnight by the clock on the wall. A local time
 * that does not exist, in the night the clocks go forward, is as much later; of one that comes twice the first counts.
 */
import { createHash } from 'node:crypto'
import { DateTime, IANAZone } from 'luxon'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

/** Whether it is the IANA name of a time zone this system knows. */
export function isZone(name: string): boolean {
  return IANAZone.isValidZone(name)
}

export { dayAt } from '../base/day.ts'

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && DateTime.fromISO(text, { zone: 'utc' }).isValid
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10)
}

export function weekdayOf(day: string): Weekday {
  return weekdays[(new Date(Date.parse(day)).getUTCDay() + 6) % 7]!
}

/** When the clock on the wall of `zone` shows `minute` (0 to 1440) of `day`. */
export function instantOf(day: string, minute: number, zone: string): number {
  if (minute >= 1440) return instantOf(addDays(day, 1), minute - 1440, zone)
  const key = `${zone} ${day} ${minute}`
  let found = instants.get(key)
  if (found === undefined) {
    if (instants.size >= mostInstants) instants.clear()
    instants.set(key, (found = findInstant(day, minute, zone)))
  }
  return found
}

/** A look at the rules of a zone is costly, and the reminders of one request ask for the same few moments. */
const instants = new Map<string, number>()
const mostInstants = 2000

function findInstant(day: string, minute: number, zone: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const local = DateTime.fromObject({ year, month, day: date, hour: Math.floor(minute / 60), minute: minute % 60 }, { zone })
  return Math.min(...local.getPossibleOffsets().map((possible) => possible.toMillis()))
}

/** Milliseconds since the epoch of an ISO 8601 date and time with Z or an offset; null for anything else. */
export function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)$/i.test(text)) return null
  const parsed = DateTime.fromISO(text, { setZone: true })
  return parsed.isValid ? parsed.toMillis() : null
}

/** The clock on the wall: `2026-03-08 09:30`. */
export function wallClock(at: number, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd HH:mm')
}

/** Changes whenever plans that were made before may no longer be right: other rules of time zones, or other settings. */
export function planFingerprint(settings: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([process.versions.tz, settings]))
    .digest('hex')
}
