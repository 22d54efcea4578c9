/** What a file of parties holds, looked at before anything of it is kept: by its type, each party by itself. Done off the event loop. */
import { ApiError, type ErrorDetail } from '../errors.ts'
import { PartyInputSchema, type PartyInput } from '../schema/crm.ts'
import type { PartyRow } from '../store/tables.ts'
import { phonesOf } from './numbers.ts'

/** What stands in a file at one place: a party that was not looked at yet, or what is wrong there. */
export interface ImportEntry {
  readonly row: number
  readonly party?: Readonly<Record<string, unknown>> & { readonly phones: object[] }
  readonly error?: string
}

export interface RowError {
  readonly row: number
  readonly error: string
}

export interface ImportOrder {
  /** `replace`: imported parties that are not among these go. */
  readonly mode: 'merge' | 'replace'
  readonly dryRun: boolean
}

export interface ImportFile extends Partial<ImportOrder> {
  readonly entries: readonly ImportEntry[]
}

/** As it will be kept. `updatedAt`: null where the file does not say. */
export interface LookedParty {
  readonly row: number
  readonly party: Omit<PartyRow, 'updatedAt' | 'source' | 'seenAt'> & { readonly updatedAt: number | null }
}

export interface LookedAt extends Partial<ImportOrder> {
  readonly rows: number
  /** The first ones. */
  readonly errors: readonly RowError[]
  /** Each id once. */
  readonly parties: readonly LookedParty[]
}

export const mostRows = 50_000
export const mostErrors = 100
const types = ['text/csv', 'text/vcard', 'text/x-vcard', 'application/json'] as const
export type ImportType = (typeof types)[number]

/** Throws ApiError `unsupported_media_type`. */
export function importTypeOf(contentType: string): ImportType {
  const given = contentType.split(';')[0]!.trim().toLowerCase()
  const type = types.find((one) => one === given)
  if (type === undefined) throw new ApiError('unsupported_media_type', 'Parties come as application/json, text/csv or text/vcard.')
  return type
}

/** What reads a kind of file is loaded with the first of it. Throws ApiError `validation_failed`. */
export async function entriesOf(type: ImportType, text: string): Promise<ImportFile> {
  try {
    if (type === 'text/csv') return { entries: (await import('./import-csv.ts')).partiesOfCsv(text) }
    if (type !== 'application/json') return { entries: (await import('./import-vcard.ts')).partiesOfVcard(text) }
    return jsonEntries(JSON.parse(text) as unknown)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw refused(`This is no ${type}: ${(error as Error).message}`)
  }
}

function jsonEntries(body: unknown): ImportFile {
  const { customers, mode, dryRun } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (!Array.isArray(customers)) throw refused('"customers" must be a list of parties.')
  if (mode !== undefined && mode !== 'merge' && mode !== 'replace') throw refused('"mode" must be merge or replace.')
  if (dryRun !== undefined && typeof dryRun !== 'boolean') throw refused('"dryRun" must be true or false.')
  mustBeFew(customers.length)
  const entries = customers.map((party: unknown, index): ImportEntry => {
    const row = index + 1
    if (typeof party !== 'object' || party === null || Array.isArray(party)) return { row, error: 'must be a party' }
    return { row, party: { phones: [], ...(party as object) } }
  })
  return { entries, ...(mode === undefined ? {} : { mode }), ...(dryRun === undefined ? {} : { dryRun }) }
}

/** `check`: fills in what is left out of a party, and says what is wrong. Throws ApiError `validation_failed` for too many. */
export function lookAt({ entries, ...order }: ImportFile, country: string, check: (party: unknown) => ErrorDetail[] | undefined): LookedAt {
  mustBeFew(entries.length)
  const errors: RowError[] = []
  const parties = new Map<string, LookedParty>()
  for (const { row, party, error = 'there is nothing' } of entries) {
    const wrong = (words: string): void => void (errors.length < mostErrors && errors.push({ row, error: words }))
    if (party === undefined) {
      wrong(error)
      continue
    }
    const faults = check(party)
    if (faults !== undefined) {
      const [{ path, message }] = faults as [ErrorDetail]
      wrong(`${path.slice(1)} ${message}`)
      continue
    }
    const { updatedAt, ...fields } = pick(party as unknown as PartyInput)
    const at = updatedAt === undefined ? null : Date.parse(updatedAt)
    parties.set(fields.id, { row, party: { ...fields, phones: phonesOf(fields.phones, country, wrong), updatedAt: at } })
  }
  return { ...order, rows: entries.length, errors, parties: [...parties.values()] }
}

/** What a party may have, and nothing that a file has beside it. */
function pick(party: PartyInput): PartyInput {
  return Object.fromEntries(Object.entries(party).filter(([name]) => Object.hasOwn(PartyInputSchema.properties, name))) as PartyInput
}

function mustBeFew(rows: number): void {
  if (rows > mostRows) throw refused(`These are ${rows} parties; at most ${mostRows} are taken at once.`)
}

export function refused(message: string, errors: readonly RowError[] = []): ApiError {
  return new ApiError('validation_failed', message, { details: errors.map(({ row, error }) => ({ path: `/${row}`, message: error })) })
}
