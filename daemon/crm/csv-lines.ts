/**
 * The cells of a CSV file (RFC 4180), line by line: quotes around a cell, doubled within; white space around a cell is not of it. A line costs
 * what its length costs, however many columns the lines before it had.
 */

/** Lines without anything are left out. Throws Error in words for a person. */
export function* csvLines(text: string): Generator<readonly string[]> {
  let line: string[] = []
  let number = 1
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at <= text.length;) {
    const cell = text[skipBlanks(text, at)] === '"' ? quotedCell(text, skipBlanks(text, at), number) : bareCell(text, at, number)
    line.push(cell.value)
    at = cell.end + 1
    if (text[cell.end] === ',') continue
    if (text[cell.end] === '\r' && text[at] === '\n') at++
    if (line.length > 1 || line[0] !== '') yield line
    line = []
    number++
  }
}

interface Cell {
  readonly value: string
  /** Where the comma, the end of the line or the end of the file stands. */
  readonly end: number
}

const endOfCell = /[,\r\n"]/g

function bareCell(text: string, from: number, line: number): Cell {
  endOfCell.lastIndex = from
  const end = endOfCell.exec(text)?.index ?? text.length
  if (text[end] === '"') throw new Error(`line ${line}: a quote within a cell that does not begin with one`)
  return { value: text.slice(from, end).trim(), end }
}

function quotedCell(text: string, from: number, line: number): Cell {
  const parts: string[] = []
  for (let at = from + 1; ;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) throw new Error(`line ${line}: a quote is not closed`)
    parts.push(text.slice(at, quote))
    if (text[quote + 1] !== '"') {
      const end = skipBlanks(text, quote + 1)
      if (end < text.length && !',\r\n'.includes(text[end]!)) throw new Error(`line ${line}: something stands behind a closing quote`)
      return { value: parts.join('"').trim(), end }
    }
    at = quote + 2
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}
