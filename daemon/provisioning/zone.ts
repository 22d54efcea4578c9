/**
 * A time zone in the form phones take: none of them knows IANA names, all take an offset and the rule of summer time. Both stand as a POSIX
 * TZ string (IEEE Std 1003.1, 8.3) in the last line of the zone's file (RFC 9636, 3.3).
 */
import { readFileSync } from 'node:fs'
import { IANAZone } from 'luxon'

/** One of the two changes of a year: in `month`, on the `week`th `day` (0 is Sunday), week 5 is the last, at `hour` local time. */
export interface Change {
  readonly month: number
  readonly week: number
  readonly day: number
  readonly hour: number
}

export interface ZoneRule {
  /** As POSIX writes it. */
  readonly posix: string
  /** East of Greenwich, without summer time. */
  readonly offsetMinutes: number
  readonly summer: { readonly start: Change; readonly end: Change; readonly minutes: number } | null
}

const zones = '/usr/share/zoneinfo'
const name = String.raw`(?:[A-Za-z]{3,}|<[^>]+>)`
const offset = String.raw`([+-]?\d{1,2}(?::\d{2})?)`
const rule = String.raw`M(\d{1,2})\.(\d)\.(\d)(?:/(-?\d{1,3}))?(?::\d{2})*`
const pattern = new RegExp(`^${name}${offset}(?:${name}${offset}?,${rule},${rule})?$`)

/** `now`: milliseconds since the epoch, whose offset is taken where the zone's file cannot be read. */
export function zoneRule(zone: string, now: number): ZoneRule {
  return ruleOf(footerOf(zone)) ?? fixed(IANAZone.create(zone).offset(now))
}

/** Undefined for what is no POSIX TZ string, or has a rule by other days than those of weeks. */
export function ruleOf(posix: string): ZoneRule | undefined {
  const parts = pattern.exec(posix)
  if (parts === null) return undefined
  const offsetMinutes = -minutesOf(parts[1]!)
  const change = (from: number): Change => ({
    month: Number(parts[from]),
    week: Number(parts[from + 1]),
    day: Number(parts[from + 2]),
    // Some zones change before midnight or after the day's end; phones know hours of a day.
    hour: Math.min(23, Math.max(0, Number(parts[from + 3] ?? 2))),
  })
  if (parts[3] === undefined) return { posix, offsetMinutes, summer: null }
  const minutes = parts[2] === undefined ? 60 : -minutesOf(parts[2]) - offsetMinutes
  return { posix, offsetMinutes, summer: { start: change(3), end: change(7), minutes } }
}

function minutesOf(text: string): number {
  const [hours = '', minutes = '0'] = text.split(':')
  return Number(hours) * 60 + (hours.startsWith('-') ? -Number(minutes) : Number(minutes))
}

function fixed(offsetMinutes: number): ZoneRule {
  const hours = Math.abs(offsetMinutes) / 60
  return { posix: `<LOCAL>${offsetMinutes > 0 ? '-' : ''}${Math.trunc(hours)}`, offsetMinutes, summer: null }
}

/** '' where there is none. */
function footerOf(zone: string): string {
  try {
    return readFileSync(`${zones}/${zone}`, 'latin1').trimEnd().split('\n').at(-1) ?? ''
  } catch {
    return ''
  }
}
