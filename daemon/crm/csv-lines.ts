/**
 * The cells of a file of lines with marks between the cells: RFC 4180, and what spreadsheets make of it. Quotes around a cell, doubled within;
 * white space around a cell is not of it. A quote in the middle of a cell that does not begin with one is a letter of it, and what stands
 * behind a closing quote goes on with the cell, as spreadsheets read it; a backslash in front of a quote that ends no cell makes it a letter, as
 * databases write it. A line costs what its length costs, however many columns there are.
 */

export interface CsvLine {
  /** As spreadsheets count: lines without anything count, line ends within a cell do not. The first is 1. */
  readonly row: number
  readonly cells: readonly string[]
}

/** Lines without anything are left out. Throws Error in words for a person. */
export function* csvLines(text: string, mark = ','): Generator<CsvLine> {
  const endOfCell = new RegExp(`[${mark === '|' ? '\\|' : mark}\\r\\n]`, 'g')
  let cells: string[] = []
  let row = 1
  for (let at = 0; at <= text.length;) {
    const first = skipBlanks(text, at, mark)
    const cell = text[first] === '"' ? quotedCell(text, first, row, mark, endOfCell) : bareCell(text, at, endOfCell)
    cells.push(cell.value)
    at = cell.end + 1
    if (text[cell.end] === mark) continue
    if (text[cell.end] === '\r' && text[at] === '\n') at++
    if (cells.some((value) => value !== '')) yield { row, cells }
    cells = []
    row++
  }
}

interface Cell {
  readonly value: string
  /** Where the mark, the end of the line or the end of the file stands. */
  readonly end: number
}

function endFrom(text: string, from: number, endOfCell: RegExp): number {
  endOfCell.lastIndex = from
  return endOfCell.exec(text)?.index ?? text.length
}

function bareCell(text: string, from: number, endOfCell: RegExp): Cell {
  const end = endFrom(text, from, endOfCell)
  const value = text.slice(from, end).trim()
  // ="0612345678" keeps a spreadsheet from making a number of it.
  return { value: /^="[^"]*"$/.test(value) ? value.slice(2, -1).trim() : value, end }
}

function quotedCell(text: string, from: number, row: number, mark: string, endOfCell: RegExp): Cell {
  const endsAt = (at: number): boolean => [mark, '\r', '\n', undefined].includes(text[skipBlanks(text, at, mark)])
  const parts: string[] = []
  for (let at = from + 1; ;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) throw new Error(`line ${row}: a quote is not closed`)
    const doubled = text[quote + 1] === '"'
    const escaped = quote > at && text[quote - 1] === '\\' && (doubled ? endsAt(quote + 2) : !endsAt(quote + 1))
    parts.push(text.slice(at, escaped ? quote - 1 : quote))
    if (!doubled && !escaped) {
      const end = endFrom(text, quote + 1, endOfCell)
      return { value: (parts.join('"') + text.slice(quote + 1, end).trimEnd()).trim(), end }
    }
    at = quote + (escaped ? 1 : 2)
  }
}

function skipBlanks(text: string, from: number, mark: string): number {
  let at = from
  while (text[at] === ' ' || (text[at] === '\t' && mark !== '\t')) at++
  return at
}
