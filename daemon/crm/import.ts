/** Parties from elsewhere: another system's export, an address book. Looked at as a whole before anything is written. */
import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { ImportAnswer } from '../schema/crm.ts'
import type { Store } from '../store/store.ts'
import type { PartyRow } from '../store/tables.ts'
import { mostParties, type Change, type Directory } from './directory.ts'
import { mostErrors, refused, type ImportOrder, type LookedAt, type LookedParty, type RowError } from './import-look.ts'

/** What was looked at, in pieces small enough to be written between two turns of the event loop; each can be asked for again. */
export interface ImportSource extends Omit<LookedAt, 'parties'> {
  readonly pieces: number
  piece(at: number): Promise<readonly LookedParty[]>
}

export interface ImporterOptions {
  readonly store: Store
  readonly clock: Clock
  readonly directory: Directory
}

/** A whole list that changes no more than that is written where it stands. */
const smallChange = 200
/** Files that are read, wait, or are written at once, and how many of them may be of one owner: nobody waits for more than these. */
const mostAtOnce = 8
const mostOfOwner = 2

type Counts = Pick<ImportAnswer, 'created' | 'updated' | 'skipped' | 'deleted'>

/** What came of a list: faults of its rows, found here or before. */
interface Done {
  readonly counts: Counts
  readonly errors: readonly RowError[]
}

/** What a whole list would do. */
interface Plan {
  readonly counts: Counts
  readonly errors: readonly RowError[]
  /** Imported parties that are not among them. */
  readonly leftOut: readonly string[]
  /** Imported parties that are there. */
  readonly imported: number
  readonly staged: number
  /** Typed here, and in the list now. */
  readonly typed: readonly string[]
  /** What is new or changed; null where that is much. */
  readonly changes: readonly PartyRow[] | null
}

export class Importer {
  readonly #options: ImporterOptions
  /** One after the other. */
  #last: Promise<unknown> = Promise.resolve()
  /** Whose files are under way; each owner as often as it has one. */
  readonly #owners: string[] = []

  constructor(options: ImporterOptions) {
    this.#options = options
  }

  /** A file of the owner has come; the returned function says that it is done with. Throws ApiError `overloaded` where too many are. */
  enter(owner: string): () => void {
    const own = this.#owners.filter((one) => one === owner).length
    if (own >= mostOfOwner || this.#owners.length >= mostAtOnce)
      throw new ApiError('overloaded', 'Another import is running; try again in a moment.', { retryAfterSeconds: 10 })
    this.#owners.push(owner)
    return () => void this.#owners.splice(this.#owners.indexOf(owner), 1)
  }

  /** Throws ApiError `validation_failed` where nothing can be done with it. */
  run(source: ImportSource, order: ImportOrder): Promise<ImportAnswer> {
    return this.#inTurn(async () => {
      const { counts, errors } = order.mode === 'replace' ? await this.#replace(source, order) : await this.#merge(source, order)
      const { rows, warnings, warningCount, errorCount } = source
      const all = [...source.errors, ...errors].slice(0, mostErrors)
      return {
        dryRun: order.dryRun,
        rows,
        ...counts,
        errors: all,
        errorCount: errorCount + errors.length,
        warnings: [...warnings],
        warningCount,
      }
    })
  }

  /** Removes what lists that were cut off, or that another took the place of, left; how many parties. */
  sweep(): Promise<number> {
    return this.#inTurn(() => this.#options.directory.sweep())
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  async #merge(source: ImportSource, { dryRun }: ImportOrder): Promise<Done> {
    const { directory, clock } = this.#options
    const counts: Counts = { created: 0, updated: 0, skipped: 0, deleted: 0 }
    const errors: RowError[] = []
    const now = clock.now()
    const had = directory.count()
    const take = (looked: LookedParty): void => {
      const before = directory.get(looked.party.id)
      if (before?.source === 'crm') return void errors.push({ row: looked.row, error: ofCrm })
      if (before === undefined && had + counts.created >= mostParties)
        return void errors.push({ row: looked.row, error: `the directory is full (${mostParties} customers)` })
      counts[counted[dryRun ? directory.compare(rowOf(looked, now)) : directory.put(rowOf(looked, now))]]++
    }
    await this.#each(source, dryRun, take)
    return { counts, errors }
  }

  async #replace(source: ImportSource, { dryRun }: ImportOrder): Promise<Done> {
    const { store, directory } = this.#options
    // So that the next generation is empty.
    if (!dryRun) await directory.sweep()
    const now = this.#options.clock.now()
    const plan = await this.#plan(source, now)
    const { counts, errors, changes, leftOut, typed } = plan
    const faults = [...source.errors, ...errors]
    if (faults.length > 0) throw refused('Nothing was replaced: some of the customers are not valid.', faults.slice(0, 20))
    if (directory.count() + counts.created - counts.deleted > mostParties)
      throw refused(`Nothing was replaced: the directory holds at most ${mostParties} customers.`)
    if (dryRun) return plan
    if (changes !== null && changes.length + leftOut.length <= smallChange) {
      await store.transaction(() => {
        for (const id of leftOut) directory.remove(id)
        for (const party of changes) directory.put(party)
      })
      return plan
    }
    try {
      await this.#each(source, false, (looked) => directory.stage(rowOf(looked, now)))
      await store.transaction(() => {
        for (const id of typed) directory.remove(id)
        directory.switchOver(plan.imported, plan.staged)
      })
    } finally {
      await directory.sweep()
    }
    return plan
  }

  /** Nothing is written. */
  async #plan(source: ImportSource, now: number): Promise<Plan> {
    const { directory } = this.#options
    const counts: Counts = { created: 0, updated: 0, skipped: 0, deleted: 0 }
    const errors: RowError[] = []
    const ids = new Set<string>()
    const typed: string[] = []
    let changes: PartyRow[] | null = []
    await this.#each(source, true, (looked) => {
      const before = directory.get(looked.party.id)
      if (before?.source === 'crm') return void errors.push({ row: looked.row, error: ofCrm })
      if (before?.source === 'local') typed.push(before.id)
      ids.add(looked.party.id)
      const row = rowOf(looked, now)
      const change = directory.compare(row)
      counts[counted[change]]++
      if (change !== 'unchanged') changes?.push(row)
      if (changes !== null && changes.length > smallChange) changes = null
    })
    const leftOut: string[] = []
    let imported = 0
    for await (const { id, source: from } of directory.all()) {
      if (from !== 'import') continue
      imported++
      if (!ids.has(id)) leftOut.push(id)
    }
    return { counts: { ...counts, deleted: leftOut.length }, errors, leftOut, imported, staged: ids.size, typed, changes }
  }

  /** `take` is called for each party: inside a transaction unless `reading`, one for each piece, while the last one is on its way to the disk. */
  async #each({ pieces, piece }: ImportSource, reading: boolean, take: (looked: LookedParty) => void): Promise<void> {
    const { store } = this.#options
    let coming = pieces === 0 ? Promise.resolve([]) : piece(0)
    let leaving: Promise<void> = Promise.resolve()
    for (let at = 0; at < pieces; at++) {
      const parties = await coming
      if (at + 1 < pieces) coming = piece(at + 1)
      if (reading) parties.forEach(take)
      else {
        const before = leaving
        leaving = store.transaction(() => parties.forEach(take))
        // Waited for below, unless another one fails first.
        leaving.catch(() => undefined)
        coming.catch(() => undefined)
        await before
      }
      await breath()
    }
    await leaving
  }
}

const ofCrm = 'belongs to the CRM: change it there'

function rowOf({ party: { updatedAt, ...party } }: LookedParty, now: number): PartyRow {
  return { ...party, updatedAt: updatedAt ?? now, source: 'import', seenAt: now }
}

const counted: Readonly<Record<Change, 'created' | 'updated' | 'skipped'>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'skipped',
}
