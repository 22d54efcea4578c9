/** Parties from elsewhere: another system's export, an address book. Looked at as a whole before anything is written. */
import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import type { Config } from '../schema/config.ts'
import type { ImportAnswer, PartyInput } from '../schema/crm.ts'
import type { Store } from '../store/store.ts'
import type { PartyRow } from '../store/tables.ts'
import type { Change, Directory } from './directory.ts'
import { phonesOf } from './numbers.ts'

/** What stands in a file at one place: a party that was not looked at yet, or what is wrong there. */
export interface ImportEntry {
  readonly row: number
  readonly party?: Readonly<Record<string, unknown>> & { readonly phones: object[] }
  readonly error?: string
}

export interface ImportOrder {
  /** `replace`: imported parties that are not among these go. */
  readonly mode: 'merge' | 'replace'
  readonly dryRun: boolean
}

export interface ImporterOptions {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly directory: Directory
  /** Fills in what is left out, and says what is wrong. */
  readonly check: (party: unknown) => ErrorDetail[] | undefined
}

export const mostRows = 50_000
const mostErrors = 100
/** Looked at, or written, between two turns of the event loop. */
const batch = 250

export class Importer {
  readonly #options: ImporterOptions

  constructor(options: ImporterOptions) {
    this.#options = options
  }

  /** Throws ApiError `validation_failed` where nothing can be done with it. */
  async run(entries: readonly ImportEntry[], order: ImportOrder): Promise<ImportAnswer> {
    if (entries.length > mostRows) throw refused(`These are ${entries.length} parties; at most ${mostRows} are taken at once.`)
    const errors: { row: number; error: string }[] = []
    const parties = new Map<string, PartyRow>()
    for (const [index, entry] of entries.entries()) {
      if (index % batch === batch - 1) await breath()
      const party = this.#look(entry, (error) => errors.push({ row: entry.row, error }))
      if (party !== null) parties.set(party.id, party)
    }
    if (order.mode === 'replace' && errors.length > 0)
      throw refused('Nothing was replaced: some of the parties are not valid.', errors.slice(0, 20))
    const counts = await this.#write([...parties.values()], order)
    return { dryRun: order.dryRun, rows: entries.length, ...counts, errors: errors.slice(0, mostErrors) }
  }

  #look({ party, error = 'there is nothing' }: ImportEntry, wrong: (error: string) => void): PartyRow | null {
    if (party === undefined) return (wrong(error), null)
    const { config, clock, check, directory } = this.#options
    const given = structuredClone(party) as unknown as PartyInput
    const faults = check(given)
    if (faults !== undefined) {
      const [{ path, message }] = faults as [ErrorDetail]
      return (wrong(`${path.slice(1)} ${message}`), null)
    }
    if (directory.get(given.id)?.source === 'crm') return (wrong('belongs to the CRM, and is changed there'), null)
    const now = clock.now()
    const { updatedAt, ...fields } = given
    return {
      ...fields,
      phones: phonesOf(given.phones, config.site.country, wrong),
      updatedAt: updatedAt === undefined ? now : Date.parse(updatedAt),
      source: 'import',
      seenAt: now,
    }
  }

  async #write(parties: readonly PartyRow[], { mode, dryRun }: ImportOrder): Promise<Omit<ImportAnswer, 'dryRun' | 'rows' | 'errors'>> {
    const { store, directory } = this.#options
    const counts = { created: 0, updated: 0, skipped: 0, deleted: 0 }
    const put = (party: PartyRow): void => void counts[counted[directory.put(party)]]++
    if (dryRun) {
      for (const party of parties) counts[counted[directory.compare(party)]]++
      if (mode === 'replace') counts.deleted = this.#leftOut(parties).length
    } else if (mode === 'replace') {
      // All or nothing: one transaction.
      await store.transaction(() => {
        for (const id of this.#leftOut(parties)) if (directory.remove(id)) counts.deleted++
        parties.forEach(put)
      })
    } else {
      for (let at = 0; at < parties.length; at += batch) {
        await store.transaction(() => parties.slice(at, at + batch).forEach(put))
        await breath()
      }
    }
    return counts
  }

  #leftOut(parties: readonly PartyRow[]): string[] {
    const { directory } = this.#options
    const kept = new Set(parties.map(({ id }) => id))
    return [...directory.ids()].filter((id) => !kept.has(id) && directory.get(id)?.source === 'import')
  }
}

const counted: Readonly<Record<Change, 'created' | 'updated' | 'skipped'>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'skipped',
}

function refused(message: string, errors: readonly { row: number; error: string }[] = []): ApiError {
  return new ApiError('validation_failed', message, { details: errors.map(({ row, error }) => ({ path: `/${row}`, message: error })) })
}
