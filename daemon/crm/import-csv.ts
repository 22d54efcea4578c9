/**
 * Parties of a file of lines: the first one names the columns. Marks between the cells are those that make most of it: commas, semicolons,
 * tabs or bars, or what a line `sep=;` says. Several lines with one id are one party with several phones.
 */
import { quoted } from '../base/for-log.ts'
import { createHash } from 'node:crypto'
import { columnsOf, phoneLabel, type Column, type Field } from './import-columns.ts'
import type { ImportEntry, ImportFile, RowWarning } from './import-look.ts'
import { csvLines, type CsvLine } from './csv-lines.ts'

/** Of those that have a name: spreadsheets write thousands of empty ones. */
const mostColumns = 256
const marks = [',', ';', '\t', '|'] as const
const own = 'id,kind,name,status,phone,label,email,company,externalRef'
/** Google writes several values of one kind into a cell. */
const between = / ::: /

interface Phone {
  readonly number: string
  readonly label?: string
}

/** @throws Error in words for a person, where it is no such file */
export function partiesOfCsv(given: string): ImportFile {
  // The end of a file of MS-DOS is a letter.
  const { mark, text } = dialectOf(given.replace(/^\ufeff/, '').replace(/\u001a\s*$/, ''))
  const lines = csvLines(text, mark)
  const first = lines.next()
  const header = first.done === true ? [] : first.value.cells
  const columns = checkedColumns(header)
  const table = new Table(columns, header)
  for (const line of lines) table.add(line)
  return { entries: table.entries, warnings: [...unread(header, columns), ...table.warnings] }
}

function dialectOf(text: string): { readonly mark: string; readonly text: string } {
  const told = /^"?sep=(.)"?[^\S\r\n]*(?:\r\n?|\n)/i.exec(text.slice(0, 20))
  if (told !== null) return { mark: told[1]!, text: text.slice(told[0].length) }
  const known = (mark: string): number => {
    try {
      const { value } = csvLines(text, mark).next() as { value?: CsvLine }
      return columnsOf(value?.cells ?? []).length
    } catch {
      return -1
    }
  }
  const counts = marks.map((mark) => ({ mark, count: known(mark) }))
  const most = Math.max(...counts.map(({ count }) => count))
  return { mark: counts.find(({ count }) => count === most)!.mark, text }
}

function checkedColumns(header: readonly string[]): Column[] {
  const columns = columnsOf(header)
  if (!columns.some(({ field }) => ['name', 'first', 'last', 'company'].includes(field)))
    throw new Error(`the first line must name the columns: ${own}, or those of Outlook or Google`)
  const count = header.filter((name) => name !== '').length
  if (count > mostColumns)
    throw new Error(`the first line names ${count} columns; at most ${mostColumns} are read: leave out those that are not among ${own}`)
  return columns
}

function* unread(header: readonly string[], columns: readonly Column[]): Iterable<RowWarning> {
  const seen = new Set<string>()
  for (const { field, at, pair } of columns) {
    const once = !['phone', 'label', 'email'].includes(field)
    if (once && seen.has(field))
      yield {
        row: 1,
        warning: `the column ${quoted(header[at]!)} is given twice or means the same as another: the first value counts`,
      }
    if (field === 'label' && !columns.some((one) => one.field === 'phone' && one.pair === pair))
      yield { row: 1, warning: `the column ${quoted(header[at]!)} labels no column of phone numbers` }
    seen.add(field)
  }
  const read = new Set(columns.map(({ at }) => at))
  const left = header.filter((name, at) => name !== '' && !read.has(at))
  if (left.length > 0)
    yield {
      row: 1,
      warning: `these columns are not read: ${left.slice(0, 20).join(', ')}${left.length > 20 ? ` and ${left.length - 20} more` : ''}`,
    }
}

type Values = Partial<Record<Field, string>>

/** The fields of a line apart from its numbers, and the line in which they first stood. */
interface Said {
  readonly row: number
  readonly party: Record<string, unknown> & { phones: Phone[] }
  readonly warnings: string[]
}

class Table {
  readonly warnings: RowWarning[] = []
  readonly #columns: readonly Column[]
  readonly #width: number
  readonly #hasIds: boolean
  readonly #parties = new Map<string, Said>()
  readonly #errors: ImportEntry[] = []

  constructor(columns: readonly Column[], header: readonly string[]) {
    this.#columns = columns
    this.#width = header.length
    this.#hasIds = columns.some(({ field }) => field === 'id' || field === 'externalRef')
  }

  get entries(): ImportEntry[] {
    return [...this.#parties.values(), ...this.#errors]
  }

  add({ row, cells }: CsvLine): void {
    const warn = (warning: string): void => void this.warnings.push({ row, warning })
    const extra = cells.length > this.#width ? cells.slice(this.#width).filter((cell) => cell !== '') : []
    if (extra.length > 0)
      warn(`has ${cells.length} cells but there are ${this.#width} columns: ${quoted(extra.join(', ').slice(0, 80))} is left out`)
    const { values, phones } = this.#read(cells, warn)
    const { title = '', first = '', middle = '', last = '', suffix = '', name: whole = '', ...fields } = values
    const spoken = [title, first, middle, last].filter((part) => part !== '').join(' ')
    const person = whole !== '' ? whole : first + last === '' ? '' : suffix === '' ? spoken : `${spoken}, ${suffix}`
    const { company = '' } = fields
    const name = person === '' ? company : person
    const id = fields.id ?? fields.externalRef ?? (this.#hasIds ? undefined : idOf(name, phones[0]?.number ?? fields.email ?? ''))
    if (id === undefined) return void this.#errors.push({ row, error: 'id or externalRef is missing' })
    const party = {
      ...(person === '' && company !== '' ? { kind: 'organization' } : {}),
      ...fields,
      id,
      ...(name === '' ? {} : { name }),
      phones,
    }
    if (company === name) delete (party as Values).company
    const before = this.#parties.get(id)
    if (before === undefined) this.#parties.set(id, { row, party, warnings: [] })
    else this.#again(before, party, warn)
  }

  /** More numbers of somebody who was in a line before; what is said otherwise than there is named. */
  #again(before: Said, { phones, ...party }: Said['party'], warn: (words: string) => void): void {
    before.party.phones.push(...phones)
    for (const [field, value] of Object.entries(party)) {
      const earlier = before.party[field]
      if (earlier === undefined) before.party[field] = value
      else if (earlier !== value)
        warn(`${field} ${quoted(String(value))} is ignored: line ${before.row} has ${quoted(String(earlier))} for the same id`)
    }
  }

  #read(cells: readonly string[], warn: (words: string) => void): { values: Values; phones: Phone[] } {
    const values: Values = {}
    const labels = new Map<string, string>()
    const numbers: { readonly pair: string; readonly number: string; readonly label?: string }[] = []
    for (const { at, field, pair, label } of this.#columns) {
      const cell = unquoted(cells[at] ?? '')
      if (cell === '') continue
      if (field === 'phone')
        for (const number of cell.split(between)) numbers.push({ pair, number, ...(label === undefined ? {} : { label }) })
      else if (field === 'label') labels.set(pair, cell)
      else if (field === 'email' && (values.email !== undefined || between.test(cell))) {
        const [one, ...others] = cell.split(between)
        const left = values.email === undefined ? others : [one, ...others]
        values.email ??= one!
        warn(`only the first mail address is read; ignored: ${left.length}`)
      } else if (values[field] === undefined) values[field] = field === 'kind' || field === 'status' ? cell.toLowerCase() : cell
      else if (values[field] !== cell) warn(`${quoted(cell.slice(0, 100))} is ignored: another column of the line has a different value`)
    }
    const phones = numbers.map(({ pair, number, label }): Phone => {
      const given = label ?? labels.get(pair)
      if (given === undefined) return { number }
      const known = phoneLabel(given)
      if (known === null) warn(`the label ${quoted(given.slice(0, 40))} is not known: other is used`)
      return { number, label: known ?? 'other' }
    })
    return { values, phones }
  }
}

/** What spreadsheets, and programs that fear formulas, write in front of a cell that is text. */
const unquoted = (cell: string): string => cell.replace(/^['’`](?=[=+\-@\d(])/, '')

/** Of a list without ids: the same person is the same party, whenever the list comes. */
const idOf = (name: string, more: string): string => `csv:${createHash('sha256').update(`${name}\0${more}`).digest('hex').slice(0, 32)}`
