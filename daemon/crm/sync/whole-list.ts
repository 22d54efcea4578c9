/**
 * The list of all customers, taken page by page, each page in a transaction of its own with the place where the next one begins. Who is
 * not in it is removed at its end, and only there: when the last page has come, and the list has at least half as many as were known.
 */
import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../../errors.ts'
import type { CrmParty } from '../../schema/crm-answers.ts'
import type { Store } from '../../store/store.ts'
import type { PartySyncRow } from '../../store/tables.ts'
import type { Customers, Taken } from './customers.ts'

export interface WholeListOptions {
  readonly store: Pick<Store, 'tables' | 'transaction'>
  readonly clock: Clock
  readonly customers: Customers
}

export interface ListPage {
  readonly syncId: string
  readonly from: PartySyncRow['from']
  readonly customers: readonly CrmParty[]
  /** Where the next page begins. */
  readonly cursor: string | null
  readonly last: boolean
  readonly total?: number
  /** Who could not be read: they are in the list, and stay as they were. */
  readonly unread?: readonly string[]
}

export interface ListCounts {
  created: number
  updated: number
  unchanged: number
  deleted: number
  conflicts: number
}

export interface ListTaken extends ListCounts {
  /** The list ended with less than half of those who were known: nobody was removed. */
  readonly shrunk: boolean
  /** Customers that were not in the list before. */
  readonly fresh: number
  /** Told of in two ways. */
  readonly conflicting: readonly string[]
}

/** A list of which no page came for so long is given up for another one. */
const abandonedMs = 15 * 60_000
const mostCustomers = 600_000
const batch = 1000
const key = 'full'

const counted: Readonly<Record<Taken, keyof ListCounts>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  deleted: 'deleted',
  conflict: 'conflicts',
}

export class WholeList {
  readonly #options: WholeListOptions

  constructor(options: WholeListOptions) {
    this.#options = options
  }

  /** The list that is being taken, or was taken last. */
  get state(): PartySyncRow | undefined {
    return this.#options.store.tables.partySyncs.get(key)
  }

  /** A page again changes nothing. Throws ApiError `sync_running` where another list is being taken. */
  async take(page: ListPage): Promise<ListTaken> {
    const { store } = this.#options
    const absent = page.last ? await this.#absent(page) : []
    return store.transaction(() => this.#apply(page, absent))
  }

  /** Inside a transaction: a customer that was told of beside the list is one of it. */
  mark(id: string): void {
    const row = this.state
    if (row === undefined || row.endedAt !== null || !this.#marked(id, row.syncId)) return
    this.#keep({ ...row, seen: row.seen + 1 })
  }

  /** Gives up the list that is under way. */
  giveUp(fault: string): Promise<void> {
    return this.#options.store.transaction(() => {
      const row = this.state
      if (row !== undefined && row.endedAt === null) this.#keep({ ...row, endedAt: this.#options.clock.now(), fault })
    })
  }

  #apply({ syncId, from, customers, cursor, last, unread = [], total }: ListPage, absent: readonly string[]): ListTaken {
    const { clock } = this.#options
    const now = clock.now()
    const counts: ListCounts = { created: 0, updated: 0, unchanged: 0, deleted: 0, conflicts: 0 }
    const row = this.#rowOf(syncId, from, now)
    // The answer to the last page was lost on its way.
    if (row.endedAt !== null) return { ...counts, unchanged: customers.length, shrunk: row.fault !== '', fresh: 0, conflicting: [] }
    const conflicting: string[] = []
    let { seen } = row
    for (const customer of customers) {
      const taken = this.#options.customers.take(customer)
      counts[counted[taken]]++
      if (taken === 'conflict') conflicting.push(customer.id)
      if (this.#marked(customer.id, syncId)) seen++
    }
    for (const id of unread) if (this.#marked(id, syncId)) seen++
    const fresh = seen - row.seen
    if (seen > mostCustomers) throw new ApiError('validation_failed', `The list has more than ${mostCustomers} customers.`)
    const next = { ...row, seen, cursor, lastPageAt: now, total: total ?? row.total }
    if (!last) return (this.#keep(next), { ...counts, shrunk: false, fresh, conflicting })
    const shrunk = seen * 2 < row.before
    if (!shrunk) for (const id of absent) if (this.#missing(id, syncId)) counts.deleted++
    this.#keep({ ...next, cursor: null, endedAt: now, fault: shrunk ? 'suspicious shrink' : '', wholeAt: shrunk ? row.wholeAt : now })
    return { ...counts, shrunk, fresh, conflicting }
  }

  /** The row of this list; a new one where it begins. */
  #rowOf(syncId: string, from: PartySyncRow['from'], now: number): PartySyncRow {
    const row = this.state
    if (row?.syncId === syncId) return row
    if (row !== undefined && row.endedAt === null && now - row.lastPageAt < abandonedMs)
      throw new ApiError('sync_running', 'Another list of all customers is being taken.', { retryAfterSeconds: 60 })
    const before = this.#options.customers.count()
    const begun = { startedAt: now, lastPageAt: now, endedAt: null, seen: 0, total: null, before }
    return { syncId, from, cursor: null, ...begun, fault: '', wholeAt: row?.wholeAt ?? 0 }
  }

  #keep(row: PartySyncRow): void {
    this.#options.store.tables.partySyncs.put(key, row)
  }

  /** Whether it is new in this list. */
  #marked(id: string, syncId: string): boolean {
    const { partyMarks } = this.#options.store.tables
    if (partyMarks.get(id) === syncId) return false
    partyMarks.put(id, syncId)
    return true
  }

  #missing(id: string, syncId: string): boolean {
    const { partyMarks } = this.#options.store.tables
    if (partyMarks.get(id) === syncId) return false
    partyMarks.remove(id)
    this.#options.customers.missing(id)
    return true
  }

  /** Parties of the CRM that were in no page, looked for in pieces, so that nobody waits. */
  async #absent({ syncId, customers }: ListPage): Promise<string[]> {
    const { parties, partyMarks } = this.#options.store.tables
    const here = new Set(customers.map(({ id }) => id))
    const found: string[] = []
    for (let start = ''; ;) {
      const rows = [...parties.range({ start, limit: batch })]
      for (const { key: id, value } of rows) if (value.source === 'crm' && !here.has(id) && partyMarks.get(id) !== syncId) found.push(id)
      if (rows.length < batch) return found
      start = `${rows.at(-1)!.key}\0`
      await breath()
    }
  }
}
