/** Times as the site's clock and the person's language have them. */
import { boxNow } from '../frame/clock.ts'
import { locale, site } from '../frame/site.ts'
import { say } from './words.ts'

const dayMs = 86_400_000
const made = new Map<string, Intl.DateTimeFormat>()

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`
  let format = made.get(key)
  if (format === undefined) made.set(key, (format = new Intl.DateTimeFormat(locale(), { timeZone: site.timeZone, ...options })))
  return format
}

/** YYYY-MM-DD of the site. */
export function dayOf(at: number): string {
  const format = plain('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' })
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

/** For programs, whatever the person's language. To make one takes as long as to use it a hundred times. */
function plain(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  let format = made.get(tag)
  if (format === undefined) made.set(tag, (format = new Intl.DateTimeFormat(tag, { timeZone: site.timeZone, ...options })))
  return format
}

/** `8:47 AM` of today; with the weekday within a week; else with the date, and with the year where it is another one. `at`: milliseconds, or ISO 8601. */
export function timeText(at: number | string, now = boxNow()): string {
  const moment = typeof at === 'string' ? Date.parse(at) : at
  const time = { hour: 'numeric', minute: '2-digit' } as const
  if (dayOf(moment) === dayOf(now)) return dateFormat(time).format(moment)
  const near = Math.abs(moment - now) < 6 * dayMs
  if (near) return dateFormat({ weekday: 'short', ...time }).format(moment)
  const sameYear = dayOf(moment).slice(0, 4) === dayOf(now).slice(0, 4)
  return dateFormat({ ...(sameYear ? {} : { year: 'numeric' }), month: 'short', day: 'numeric', ...time }).format(moment)
}

/** With the zone, for who asks. */
export function fullTime(at: number | string): string {
  return dateFormat({ dateStyle: 'full', timeStyle: 'long' }).format(typeof at === 'string' ? Date.parse(at) : at)
}

/** `0:42`, `11:40`, `1:02:09`. */
export function lengthText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (n: number): string => String(n).padStart(2, '0')
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** How long something lasts, as it is said: `12 min`, `2 h 28 min`, `3 days`. */
export function lastsText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  if (hours >= 48) return say('day', { n: Math.floor(hours / 24) })
  if (hours === 0) return minutes === 0 ? say('second', { n: Math.max(0, Math.floor(ms / 1_000)) }) : say('minute', { n: minutes })
  return rest === 0 ? say('hour', { n: hours }) : `${say('hour', { n: hours })} ${say('minute', { n: rest })}`
}

/** The next moment at which the clock of the site shows `HH:MM`; undefined where it shows that at no minute of the next day. */
export function nextAt(clock: string, now = boxNow()): number | undefined {
  const first = Math.floor(now / 60_000) * 60_000 + 60_000
  for (let at = first; at <= first + dayMs; at += 60_000) if (siteTime(at).endsWith(`T${clock}`)) return at
  return undefined
}

/** YYYY-MM-DDTHH:MM by the clock of the site. */
export function siteTime(at: number | string): string {
  const moment = typeof at === 'string' ? Date.parse(at) : at
  const clock = plain('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return `${dayOf(moment)}T${clock.format(moment)}`
}

/** When the clock of the site shows `YYYY-MM-DDTHH:MM`, milliseconds since the epoch. */
export function momentAt(local: string): number {
  const utc = Date.parse(`${local}Z`)
  const ahead = (at: number): number => Date.parse(`${siteTime(at)}Z`) - Math.floor(at / 60_000) * 60_000
  return utc - ahead(utc - ahead(utc))
}

/** When the day `YYYY-MM-DD` begins by the clock of the site, milliseconds since the epoch. */
export function startOfDay(day: string): number {
  const at = momentAt(`${day}T00:00`)
  // Where the clock is set forward at midnight, the day begins an hour later.
  return dayOf(at) === day ? at : at + dayMs / 24
}

/** The day so many days after, or before. */
export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(`${day}T00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}
