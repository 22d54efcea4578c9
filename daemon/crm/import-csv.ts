/** Parties of a CSV file (RFC 4180): the first line names the columns; several lines with one id are one party with several phones. */
import { csvLines } from './csv-lines.ts'
import type { ImportEntry } from './import-look.ts'

const columns = ['id', 'kind', 'name', 'status', 'phone', 'label', 'email', 'company', 'externalRef'] as const
type Column = (typeof columns)[number]
type Line = Partial<Record<Column, string>>

/** Of those that have a name: spreadsheets write thousands of empty ones. */
const mostColumns = 64

/** @throws Error in words for a person, where it is no such file */
export function partiesOfCsv(text: string): ImportEntry[] {
  const [header = [], ...lines] = csvLines(text)
  const places = placesOf(header)
  const parties = new Map<string, ImportEntry>()
  const errors: ImportEntry[] = []
  lines.forEach((cells, index) => {
    const line = Object.fromEntries(places.flatMap(([name, at]) => (cells[at] ? [[name, cells[at]]] : []))) as Line
    const row = index + 2
    const id = line.id ?? line.externalRef
    if (id === undefined) return errors.push({ row, error: 'there is no id, and no externalRef in its place' })
    const phones = line.phone === undefined ? [] : [{ number: line.phone, ...(line.label === undefined ? {} : { label: line.label }) }]
    const before = parties.get(id)
    if (before?.party !== undefined) return before.party.phones.push(...phones)
    const { phone: _, label: __, ...fields } = line
    return parties.set(id, { row, party: { ...fields, id, phones } })
  })
  return [...parties.values(), ...errors]
}

/** Where the columns stand that are read, so that a line costs what they cost, however many there are beside them. */
function placesOf(header: readonly string[]): [name: Column, at: number][] {
  const places = header.flatMap((name, at): [Column, number][] => {
    const column = columns.find((one) => one.toLowerCase() === name.toLowerCase())
    return column === undefined ? [] : [[column, at]]
  })
  if (!places.some(([name]) => name === 'name')) throw new Error(`the first line must name the columns: ${columns.join(',')}`)
  const named = header.filter((name) => name !== '').length
  if (named > mostColumns)
    throw new Error(
      `the first line names ${named} columns, and at most ${mostColumns} are taken: leave out those that are not of ${columns.join(',')}`,
    )
  return places
}
