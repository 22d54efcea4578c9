/** How the commands write: tables, times and colours for a person, JSON for a program. */
import { columns, folded, withShortIds } from './columns.ts'

const colours = process.stdout.isTTY && !process.env['NO_COLOR']
const paint =
  (code: number) =>
  (text: string): string =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text

export const bold = paint(1)
export const dim = paint(2)
export const red = paint(31)
export const green = paint(32)
export const yellow = paint(33)
export const blue = paint(36)

/** How wide lines may be: the terminal's columns, or `COLUMNS`; as long as they are where a program reads them. */
const width: number = process.stdout.columns || Number(process.env['COLUMNS']) || Infinity

/** Colours and styles that are our own: what comes from elsewhere moves no cursor, sets no title, hides nothing and answers nothing. */
const ownStyle = /^\u001b\[(?:0|1|2|3[1-6])m/
// eslint-disable-next-line no-control-regex -- these are what is looked for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Without control characters (C0, C1, and those that turn the direction) but line ends and tabs. */
export function harmless(text: string): string {
  return text.replace(control, (found, at: number) => (colours && found === '\u001b' && ownStyle.test(text.slice(at, at + 6)) ? found : ''))
}

/** Lines that are too long go on below themselves. */
export function fitted(text: string): string {
  return harmless(text)
    .split('\n')
    .flatMap((line) => folded(line, width))
    .join('\n')
}

/** For people, as wide as the terminal. */
export function print(text = ''): void {
  printRaw(fitted(text))
}

/** For programs, and what people copy: as it is. */
export function printRaw(text: string): void {
  process.stdout.write(`${harmless(text)}\n`)
}

/** Next to the answer, on standard error. */
export function printNote(text: string): void {
  process.stderr.write(`${harmless(text)}\n`)
}

/** What a terminal would obey is escaped, so that it is the same value. */
export function printJson(value: unknown): void {
  const escaped = (found: string): string => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  printRaw(JSON.stringify(value, null, 2).replace(control, escaped))
}

/** Columns as wide as their widest cell, two spaces between; where the terminal is narrower, in several lines. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return columns(head.map(dim), rows, width, Date.now()).join('\n')
}

/** As tables show it on a terminal. */
export function shortId(id: string): string {
  return Number.isFinite(width) ? withShortIds(id) : id
}

/** `2d 3h`, `4m 10s`: two units are enough for a person. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds))
  if (s < 60) return `${s}s`
  if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`
  if (s < 86_400) return `${Math.floor(s / 3600)}h ${Math.floor((s % 3600) / 60)}m`
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`
}

export function bytes(n: number): string {
  if (n < 1e6) return `${Math.round(n / 1e3)} kB`
  if (n < 1e9) return `${Math.round(n / 1e6)} MB`
  return `${(n / 1e9).toFixed(1)} GB`
}

/** How long ago, measured from `now`; `-` for null. */
export function age(at: string | null, now: number = Date.now()): string {
  return at === null ? '-' : duration((now - Date.parse(at)) / 1000)
}

let zone: string | undefined

/** Times are those of the site from now on, as the daemon has it. */
export function setTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone })
    zone = timeZone
  } catch {
    // No zone of this earth: times stay those of this machine.
  }
}

/** `2026-03-02 14:05:31` of the clock on the wall of the site; of this machine before the daemon has said where that is. */
export function localTime(at: string | null): string {
  if (at === null) return '-'
  const moment = new Date(at)
  if (Number.isNaN(moment.getTime())) return '?'
  // Swedish is written as ISO 8601.
  return moment.toLocaleString('sv-SE', zone === undefined ? {} : { timeZone: zone })
}

/** `UTC-05:00` of the site at that time. */
export function utcOffset(at: string): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(new Date(at))
  return (parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT').replace('GMT', 'UTC')
}

/** `12.345` for 12,345 ms. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
