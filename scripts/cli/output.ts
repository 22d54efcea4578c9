/** How the commands write: tables, times and colours for a person, JSON for a program. */

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

export function print(text = ''): void {
  process.stdout.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** Columns as wide as their widest cell, two spaces between; no trailing space. Cells are plain text but the last may be coloured. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [dim(line(head)), ...rows.map(line)].join('\n')
}

/** How wide lines may be: the terminal's columns, or `COLUMNS`; as long as they are where a program reads them. */
export const width: number = process.stdout.columns ?? (Number(process.env['COLUMNS']) || Infinity)

/** A text in lines that fit, broken between words, each `indent` spaces in. What has no spaces is not broken. */
export function wrapped(text: string, indent = 0): string[] {
  const room = Math.max(20, width - indent)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((one) => `${' '.repeat(indent)}${one}`)
}

/** The last 8 characters: the first ones are those of the time, and alike in all ids of a minute. */
export function shortId(id: string): string {
  return id.slice(-8)
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

export function localTime(at: string | null): string {
  if (at === null) return '-'
  const d = new Date(at)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`
}

/** `12.345` for 12,345 ms. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
