/**
 * Customers as the CRM reports them, turned into parties of the directory. The CRM owns them: its later report wins, by its own versions
 * and its own clock; an earlier report, or two that differ at the same time, changes nothing and is counted.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import type { CrmParty } from '../../schema/crm-answers.ts'
import type { Config } from '../../schema/config.ts'
import { removeOld } from '../../store/remove-old.ts'
import type { Store } from '../../store/store.ts'
import type { PartyGoneRow, PartyRow } from '../../store/tables.ts'
import { mostParties, type Directory } from '../directory.ts'
import { withoutLostIn } from '../import-look.ts'
import { phonesOf } from '../numbers.ts'
import { ofContract } from './page.ts'

export interface CustomersOptions {
  readonly config: Pick<Config, 'site'>
  readonly store: Store
  readonly clock: Clock
  readonly directory: Directory
  /** Inside a transaction: the calls of one party are those of another one from now on. */
  readonly moved: (from: string, to: string) => void
}

/** conflict: ours was kept, because the CRM has sent a different report of the same time, or a later one. */
export type Taken = 'created' | 'updated' | 'unchanged' | 'deleted' | 'conflict'

export type CustomerNote = (path: string, words: string) => void
const nobody: CustomerNote = () => undefined

const dayMs = 86_400_000
export const goneDays = 90
/** How many times somebody may have been put together with somebody else. */
const mostMerges = 20

export class Customers {
  readonly #options: CustomersOptions

  constructor(options: CustomersOptions) {
    this.#options = options
  }

  /** Parties that the CRM has reported in two ways, and not since. */
  conflicts(): number {
    return this.#options.store.tables.partyConflicts.count()
  }

  /** Of the CRM, in the directory. */
  count(): number {
    return Number(this.#options.store.tables.meta.get(counter) ?? 0)
  }

  has(id: string): boolean {
    return this.#options.directory.get(id)?.source === 'crm'
  }

  /**
   * Inside a transaction. `sure`: the CRM was asked for this very customer, so that its answer is what it has now. `note` is called, with
   * the place (a JSON pointer), for each thing that was not understood, or is stored otherwise than it came.
   */
  take(customer: CrmParty, { sure = false, note = nobody }: { readonly sure?: boolean; readonly note?: CustomerNote } = {}): Taken {
    const { tables } = this.#options.store
    const { id, version } = customer
    const updatedAt = Date.parse(customer.updatedAt)
    const before = this.#options.directory.get(id)
    const gone = tables.partiesGone.get(id)
    const known = before?.source === 'crm' ? before : gone
    const leaves = customer.deleted === true || customer.mergedInto !== undefined
    // A customer that was only missing in a list may come again unchanged.
    const back = before === undefined && gone?.told === false && !leaves && updatedAt >= gone.updatedAt
    if (known !== undefined && !sure && !back) {
      if (version === known.version && leaves === (before === undefined)) {
        tables.partyConflicts.remove(id)
        return 'unchanged'
      }
      if (updatedAt <= known.updatedAt) {
        tables.partyConflicts.put(id, this.#options.clock.now())
        return 'conflict'
      }
    }
    tables.partyConflicts.remove(id)
    if (leaves) return this.#leave(customer, updatedAt, before)
    if (before === undefined && this.#options.directory.count() >= mostParties) throw full()
    tables.partiesGone.remove(id)
    const change = this.#options.directory.put(this.#row(customer, updatedAt, note))
    if (before?.source !== 'crm') this.#counted(1)
    return change
  }

  /** Inside a transaction: a customer that is not in the whole list any more. */
  missing(id: string): void {
    const { store, directory, clock } = this.#options
    const before = directory.get(id)
    if (before?.source !== 'crm') return
    const { version, updatedAt } = before
    directory.remove(id)
    this.#counted(-1)
    store.tables.partiesGone.put(id, { version, updatedAt, deletedAt: clock.now(), told: false })
  }

  /** Forgets who has been gone for long; how many. */
  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    const { partiesGone, partyMarks } = store.tables
    const oldest = clock.now() - goneDays * dayMs
    const remove = (_: PartyGoneRow, id: string): void => {
      partiesGone.remove(id)
      partyMarks.remove(id)
    }
    return removeOld(store, partiesGone, { isOld: ({ deletedAt }) => deletedAt < oldest, remove })
  }

  #leave({ id, version, mergedInto }: CrmParty, updatedAt: number, before: PartyRow | undefined): Taken {
    const { store, directory, clock, moved } = this.#options
    // A customer that was never here is remembered, so that a late report does not create it; up to a limit.
    if (before === undefined && store.tables.partiesGone.count() >= mostParties) return 'unchanged'
    const row: PartyGoneRow = {
      version,
      updatedAt,
      deletedAt: clock.now(),
      told: true,
      ...(mergedInto === undefined ? {} : { mergedInto }),
    }
    store.tables.partiesGone.put(id, row)
    const heir = mergedInto === undefined ? id : this.#heirOf(mergedInto)
    if (heir !== id) moved(id, heir)
    if (before === undefined) return 'unchanged'
    directory.remove(id)
    if (before.source === 'crm') this.#counted(-1)
    return 'deleted'
  }

  /** A merged customer may have been merged again. */
  #heirOf(id: string): string {
    const { partiesGone } = this.#options.store.tables
    let heir = id
    for (let merges = 0; merges < mostMerges; merges++) {
      const next = partiesGone.get(heir)?.mergedInto
      if (next === undefined || next === id) return heir
      heir = next
    }
    return heir
  }

  #row(given: CrmParty, updatedAt: number, note: CustomerNote): PartyRow {
    const {
      deleted: _,
      mergedInto: __,
      ...customer
    } = withoutLostIn(ofContract(given), (path) => note(path, 'contains a question mark where a letter was lost before it arrived'))
    const { config, clock } = this.#options
    const told = (words: string, path: string): void => note(`/phones${path}`, words)
    const phones = phonesOf(customer.phones, config.site.country, { wrong: told, warn: told })
    return { ...customer, phones, updatedAt, source: 'crm', seenAt: clock.now() }
  }

  #counted(more: number): void {
    this.#options.store.tables.meta.put(counter, Math.max(0, this.count() + more))
  }
}

/** How many parties are of the CRM. */
const counter = 'partiesOfCrm'

function full(): ApiError {
  return new ApiError('validation_failed', `The directory is full (${mostParties} customers).`)
}
