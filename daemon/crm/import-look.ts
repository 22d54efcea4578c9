/** What a file of parties holds, looked at before anything of it is kept: by its type, each party by itself. Done off the event loop. */
import { quoted } from '../base/for-log.ts'
import { ApiError, type ErrorDetail } from '../base/errors.ts'
import { PartyInputSchema, type PartyInput } from '../schema/crm.ts'
import { nearest } from '../base/spelling.ts'
import type { PartyRow } from '../store/tables.ts'
import { phonesOf } from './numbers.ts'

/** Letters that were lost before a text came here: U+FFFD, or half of a pair of surrogates. They are kept as a question mark. */

const replacement = '\ufffd'
const lost = '?'

function withoutLost(text: string): string {
  return text.isWellFormed() && !text.includes(replacement) ? text : text.toWellFormed().replaceAll(replacement, lost)
}

/** The value with every text of it whole; the callback receives the place (a JSON pointer) of each that was not. */
export function withoutLostIn<T>(value: T, told: (path: string) => void, path = ''): T {
  if (typeof value === 'string') {
    const whole = withoutLost(value)
    if (whole !== value) told(path)
    return whole as T
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown, at) => withoutLostIn(one, told, `${path}/${at}`)) as T
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutLostIn(one as unknown, told, `${path}/${name}`)])) as T
}

/** What stands in a file at one place: a party that was not looked at yet, or what is wrong there. */
export interface ImportEntry {
  readonly row: number
  readonly party?: Readonly<Record<string, unknown>> & { readonly phones: object[] }
  readonly error?: string
  /** What of the party was read otherwise than it stands there. */
  readonly warnings?: readonly string[]
}

export interface RowError {
  readonly row: number
  readonly error: string
}

export interface RowWarning {
  readonly row: number
  readonly warning: string
}

export interface ImportOrder {
  /** `replace`: imported parties that are not among these go. */
  readonly mode: 'merge' | 'replace'
  readonly dryRun: boolean
}

export interface ImportFile extends Partial<ImportOrder> {
  readonly entries: readonly ImportEntry[]
  /** Of the file, and of rows. */
  readonly warnings?: readonly RowWarning[]
}

/** As it will be kept. `updatedAt`: null where the file does not say. */
export interface LookedParty {
  readonly row: number
  readonly party: Omit<PartyRow, 'updatedAt' | 'source' | 'seenAt'> & { readonly updatedAt: number | null }
}

export interface LookedAt extends Partial<ImportOrder> {
  readonly rows: number
  /** The first ones, and how many there are. */
  readonly errors: readonly RowError[]
  readonly errorCount: number
  readonly warnings: readonly RowWarning[]
  readonly warningCount: number
  /** Each id once. */
  readonly parties: readonly LookedParty[]
}

export const mostRows = 50_000
export const mostErrors = 100
/** Programs name the same things in several ways; Windows calls every file of lines one of Excel. */
const types: Readonly<Record<string, ImportType>> = {
  'application/json': 'application/json',
  'text/csv': 'text/csv',
  'text/tab-separated-values': 'text/csv',
  'text/comma-separated-values': 'text/csv',
  'application/csv': 'text/csv',
  'application/vnd.ms-excel': 'text/csv',
  'text/vcard': 'text/vcard',
  'text/x-vcard': 'text/vcard',
  'text/directory': 'text/vcard',
}
export type ImportType = 'application/json' | 'text/csv' | 'text/vcard'

export interface FileType {
  readonly type: ImportType
  /** As the content type says; '' where it does not. */
  readonly charset: string
}

/** Throws ApiError `unsupported_media_type`. */
export function importTypeOf(contentType: string): FileType {
  const given = contentType.split(';')[0]!.trim().toLowerCase()
  const type = types[given]
  if (type === undefined) throw new ApiError('unsupported_media_type', 'Send customers as application/json, text/csv or text/vcard.')
  return { type, charset: /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? '' }
}

/** What reads a kind of file is loaded with the first of it. Throws ApiError `validation_failed`. */
export async function entriesOf({ type, charset }: FileType, bytes: Uint8Array): Promise<ImportFile> {
  try {
    // Whatever a program calls it.
    const isVcard = type === 'text/vcard' || (type === 'text/csv' && beginsAsVcard(bytes))
    if (isVcard) return (await import('./import-vcard.ts')).partiesOfVcard(bytes, charset)
    const { text, assumed } = (await import('./import-text.ts')).decodeFile(bytes, charset)
    const file = type === 'text/csv' ? (await import('./import-csv.ts')).partiesOfCsv(text) : jsonEntries(JSON.parse(text) as unknown)
    return assumed === '' ? file : { ...file, warnings: [...reencoded(file, assumed), ...(file.warnings ?? [])] }
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw refused(`This is not ${type}: ${(error as Error).message}`)
  }
}

const beginsAsVcard = (bytes: Uint8Array): boolean =>
  /^[^\w]*BEGIN:VCARD/i.test(Buffer.from(bytes.subarray(0, 40)).toString('latin1').replaceAll('\0', ''))

const mostReencoded = 20

/** Somebody should see whether the letters are right; the first rows are enough for that. */
function reencoded({ entries }: ImportFile, encoding: string): RowWarning[] {
  const rows = entries.filter(({ party }) => /[^\0-\u007f]/.test(JSON.stringify(party ?? {})))
  const some = rows
    .slice(0, mostReencoded)
    .map(({ row, party }) => ({ row, warning: `${quoted(String(party?.['name']))} was read as ${encoding}` }))
  const words = `the file is not UTF-8 and has no charset: ${rows.length} rows were read as ${encoding}`
  return [{ row: rows[0]?.row ?? 1, warning: words }, ...some]
}

function jsonEntries(body: unknown): ImportFile {
  const { customers, mode, dryRun } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (!Array.isArray(customers)) throw refused('"customers" must be a list of customers.')
  if (mode !== undefined && mode !== 'merge' && mode !== 'replace') throw refused('"mode" must be merge or replace.')
  if (dryRun !== undefined && typeof dryRun !== 'boolean') throw refused('"dryRun" must be true or false.')
  mustBeFew(customers.length)
  const entries = customers.map((party: unknown, index): ImportEntry => {
    const row = index + 1
    if (typeof party !== 'object' || party === null || Array.isArray(party)) return { row, error: 'must be a customer' }
    return { row, party: { phones: [], ...(party as object) } }
  })
  return {
    entries,
    warnings: [...unknownOrders(body as object), ...unknownMembers(customers)],
    ...(mode === undefined ? {} : { mode }),
    ...(dryRun === undefined ? {} : { dryRun }),
  }
}

/** What was most likely meant, if anything. */
function hint(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : `: did you mean ${quoted(meant)}?`
}

const orders = ['customers', 'mode', 'dryRun']

/** Next to the parties. */
function unknownOrders(body: object): RowWarning[] {
  const unknown = Object.keys(body).filter((name) => !orders.includes(name))
  return unknown.slice(0, mostErrors).map((name) => {
    return { row: 1, warning: `the member ${quoted(name.slice(0, 60))} is not read${hint(name, orders)}` }
  })
}

/** Members of parties that are not read, each with the first row that has it. */
function unknownMembers(customers: readonly unknown[]): RowWarning[] {
  const known = Object.keys(PartyInputSchema.properties)
  const found = new Map<string, { readonly row: number; count: number }>()
  customers.forEach((party, index) => {
    if (typeof party !== 'object' || party === null) return
    for (const name of Object.keys(party)) {
      if (silentMembers.has(name) || Object.hasOwn(PartyInputSchema.properties, name)) continue
      const before = found.get(name)
      if (before !== undefined) before.count++
      else if (found.size < mostErrors) found.set(name, { row: index + 1, count: 1 })
    }
  })
  return Array.from(found, ([name, { row, count }]) => {
    const parties = count === 1 ? 'party' : 'parties'
    return { row, warning: `the member ${quoted(name.slice(0, 60))} is not read (in ${count} ${parties})${hint(name, known)}` }
  })
}

/** What this box writes itself into a list of parties. */
const silentMembers = new Set(['source', 'deleted', 'mergedInto'])

/** Notes of rows: the first hundred, and how many there are. */
class Notes {
  readonly errors: RowError[] = []
  readonly warnings: RowWarning[] = []
  errorCount = 0
  warningCount = 0

  wrong(row: number, error: string): void {
    if (this.errorCount++ < mostErrors) this.errors.push({ row, error })
  }

  warn(row: number, warning: string): void {
    if (this.warningCount++ < mostErrors) this.warnings.push({ row, warning })
  }
}

/** `check`: fills in what is left out of a party, and says what is wrong. Throws ApiError `validation_failed` for too many. */
export function lookAt(
  { entries, warnings = [], ...order }: ImportFile,
  country: string,
  check: (party: unknown) => ErrorDetail[] | undefined,
): LookedAt {
  mustBeFew(entries.length)
  const notes = new Notes()
  for (const { row, warning } of warnings) notes.warn(row, warning)
  const parties = new Map<string, LookedParty>()
  for (const entry of entries) {
    const { row } = entry
    const looked = partyOf(entry, country, check, notes)
    if (looked === null) continue
    const before = parties.get(looked.party.id)
    if (before !== undefined) notes.warn(before.row, `is replaced by row ${row}, which has the same id`)
    parties.set(looked.party.id, looked)
  }
  const { errors, errorCount, warnings: told, warningCount } = notes
  return { ...order, rows: entries.length, errors, errorCount, warnings: told, warningCount, parties: [...parties.values()] }
}

function partyOf(
  { row, party, error = 'it is empty', warnings = [] }: ImportEntry,
  country: string,
  check: (party: unknown) => ErrorDetail[] | undefined,
  notes: Notes,
): LookedParty | null {
  for (const words of warnings) notes.warn(row, words)
  if (party === undefined) return (notes.wrong(row, error), null)
  const faults = check(party)
  if (faults !== undefined) {
    const [{ path, message }] = faults as [ErrorDetail]
    return (notes.wrong(row, `${path.slice(1)} ${message}`), null)
  }
  const { updatedAt, ...fields } = withoutLostIn(pick(party as unknown as PartyInput), (path) =>
    notes.warn(row, `${path.slice(1)} contains a question mark where a letter was lost before the import`),
  )
  if (fields.name !== undefined && /[\u00c2\u00c3][\u0080-\u00bf]/.test(fields.name))
    notes.warn(
      row,
      `the name ${quoted(fields.name.slice(0, 80))} looks as if its letters had been read in a wrong charset before the import`,
    )
  const at = updatedAt === undefined ? null : Date.parse(updatedAt)
  const phones = phonesOf(fields.phones, country, {
    wrong: (words) => notes.wrong(row, words),
    warn: (words) => notes.warn(row, words),
  })
  return { row, party: { ...fields, phones, updatedAt: at } }
}

/** The fields that a party may have, without anything else that the file has. */
function pick(party: PartyInput): PartyInput {
  return Object.fromEntries(Object.entries(party).filter(([name]) => Object.hasOwn(PartyInputSchema.properties, name))) as PartyInput
}

function mustBeFew(rows: number): void {
  if (rows > mostRows) throw refused(`The file has ${rows} customers; at most ${mostRows} can be imported at once.`)
}

export function refused(message: string, errors: readonly RowError[] = []): ApiError {
  return new ApiError('validation_failed', message, { details: errors.map(({ row, error }) => ({ path: `/${row}`, message: error })) })
}
