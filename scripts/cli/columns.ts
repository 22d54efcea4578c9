/** Text in columns and lines that fit a width, broken between words. Colours take no room. Pure. */

// eslint-disable-next-line no-control-regex
const colour = /\u001b\[\d+m/g
const gap = 2

/** Columns that a text takes on a terminal. */
export function breadth(text: string): number {
  return [...text.replace(colour, '')].length
}

/** A text in lines of `room` at most. A longer word is broken after a mark that goes on, such as a comma or a slash, where it has one. */
export function broken(text: string, room: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((one) => pieces(one, room))) {
    const joint = line === '' || word.glued ? '' : ' '
    if (line !== '' && breadth(line) + joint.length + breadth(word.text) > room) {
      lines.push(line.trimEnd())
      line = word.text
    } else line += joint + word.text
  }
  return [...lines, line]
}

interface Piece {
  readonly text: string
  /** It belongs to the piece before, without a space. */
  readonly glued: boolean
}

function pieces(word: string, room: number): Piece[] {
  if (breadth(word) <= room) return [{ text: word, glued: false }]
  return word.split(/(?<=[,/&;:=}\]])(?=[^,/&;:=}\]])/).map((text, index) => ({ text, glued: index > 0 }))
}

/** A line that is too long goes on below itself, a little further in. */
export function folded(line: string, width: number): string[] {
  if (breadth(line) <= width) return [line]
  const indent = /^ */.exec(line)![0]
  const [first = '', ...rest] = broken(line.slice(indent.length), width - indent.length - gap)
  return [indent + first, ...rest.map((one) => `${indent}  ${one}`)]
}

/** A command of the shell in lines, all but the last with a backslash at the end; what stands in quotes is not broken. */
export function commandLines(text: string, room: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    if (line !== '' && breadth(`${line} ${word} \\`) > room) {
      lines.push(`${line} \\`)
      line = `  ${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

const callId = /\bCA[0-9a-f]{24}([0-9a-f]{8})\b/g
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{4}([0-9a-f]{8})\b/g
const time = /^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d):\d\d$/
const dayMs = 86_400_000
/** A space at which no line ends; printed as any other. */
const unbroken = '\u00a0'

/** The last 8 characters of ids: the first ones are those of the time, and alike in all ids of a minute. */
export function withShortIds(text: string): string {
  return text.replace(callId, '$1').replace(uuid, '$1')
}

/** `Mon 14:05` within a week of `now`, else the day; of what is no time, itself. */
export function shortTime(text: string, now: number): string {
  const parts = time.exec(text)
  if (parts === null) return text
  const [, year, month, day, minute] = parts
  const noon = Date.UTC(Number(year), Number(month) - 1, Number(day), 12)
  if (Math.abs(now - noon) > 6 * dayMs) return `${year}-${month}-${day}`
  return `${new Date(noon).toUTCString().slice(0, 3)}${unbroken}${minute}`
}

/**
 * Rows in columns, a head above. As wide as they are where they fit; else with short ids and times, then with cells in several lines, then
 * with the columns that have no room below the others.
 */
export function columns(head: readonly string[], rows: readonly (readonly string[])[], width: number, now: number): string[] {
  const all = [head, ...rows].map((row) => head.map((_, column) => row[column] ?? ''))
  if (naturalWidth(all) <= width) return all.map((row) => padded(row, widthsOf(all)))
  const short = all.map((row) => row.map((cell) => shortTime(withShortIds(cell), now)))
  const widths = widthsOf(short)
  const least = head.map((_, column) => leastOf(short.map((row) => row[column]!)))
  const groups = grouped(least, width)
  const lines = short.map((row) =>
    groups.flatMap((group, at) => block(row, group, fitted(group, widths, least, width - indentOf(at)), indentOf(at))),
  )
  return lines.flat().map((line) => line.replaceAll(unbroken, ' '))
}

const indentOf = (group: number): number => (group === 0 ? 0 : gap)

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return rows[0]!.map((_, column) => Math.max(...rows.map((row) => breadth(row[column]!))))
}

function naturalWidth(rows: readonly (readonly string[])[]): number {
  return widthsOf(rows).reduce((sum, width) => sum + width + gap, -gap)
}

/** A column is never narrower than its longest word, nor asks for more than this for one. */
const longestWord = 40

function leastOf(cells: readonly string[]): number {
  return Math.min(longestWord, Math.max(...cells.flatMap((cell) => cell.split(' ').map(breadth))))
}

/** Indexes of columns that stand side by side. */
function grouped(least: readonly number[], width: number): number[][] {
  const groups: number[][] = []
  let used = Infinity
  least.forEach((wanted, column) => {
    if (used + gap + wanted > width) {
      groups.push([])
      used = indentOf(groups.length - 1) - gap
    }
    groups.at(-1)!.push(column)
    used += gap + wanted
  })
  return groups
}

/** Room is taken from the widest columns first, as long as their words stay whole. */
function fitted(group: readonly number[], widths: readonly number[], least: readonly number[], width: number): number[] {
  const now = group.map((column) => widths[column]!)
  const room = width - gap * (group.length - 1)
  for (;;) {
    if (now.reduce((sum, one) => sum + one, 0) <= room) return now
    const spare = now.map((one, index) => (one > least[group[index]!]! ? one : 0))
    const widest = spare.indexOf(Math.max(...spare))
    if (spare[widest] === 0) return now
    now[widest]! -= 1
  }
}

/** The lines of some columns of a row. */
function block(row: readonly string[], group: readonly number[], widths: readonly number[], indent: number): string[] {
  const cells = group.map((column, index) => broken(row[column]!, widths[index]!).map((line) => cut(line, widths[index]!)))
  const height = Math.max(...cells.map((lines) => lines.length))
  const lines = Array.from({ length: height }, (_, at) =>
    padded(
      cells.map((one) => one[at] ?? ''),
      widths,
    ),
  )
  return lines.filter((line) => line !== '').map((line) => `${' '.repeat(indent)}${line}`.trimEnd())
}

/** A word that fits nowhere is cut; it is whole where a program reads. */
function cut(text: string, width: number): string {
  return breadth(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`
}

function padded(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell + ' '.repeat(Math.max(0, widths[column]! - breadth(cell))))
    .join(' '.repeat(gap))
    .trimEnd()
}
