/**
 * The list of all customers, taken page by page, and a page in small transactions, the last of which has the place where the next page
 * begins: a page that was cut off comes again, and changes nothing twice. A customer that is not in the list is removed at its end, and
 * only there: when the last page has come, and the list has at least half as many as were known.
 */
import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import type { CrmParty } from '../../schema/crm-answers.ts'
import type { Store } from '../../store/store.ts'
import type { PartySyncRow } from '../../store/tables.ts'
import { mostParties } from '../directory.ts'
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
  /** Customers that could not be read: they are in the list, and stay as they were. */
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
  /** Reported in two ways. */
  readonly conflicting: readonly string[]
  /** What of the page was not understood, or is kept otherwise than it came: the first hundred, each with its place; and how many. */
  readonly notes: readonly string[]
  readonly noteCount: number
}

/** What became of a page so far. */
interface Taking {
  readonly counts: ListCounts
  fresh: number
  readonly conflicting: string[]
  readonly notes: string[]
  noteCount: number
}

/** A list of which no page came for so long is given up for another one. */
const abandonedMs = 15 * 60_000
const batch = 500
const mostNotes = 100
/** Customers taken, or removed, in one transaction. */
export const atOnce = 50
const key = 'full'
/** The fault of a list whose pages do not end, or that has more customers than the directory takes. */
export const endless = 'pages without end'

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

  /**
   * A page again changes nothing. Throws ApiError `sync_running` where another list is being taken, `validation_failed` where it has more
   * customers than the directory takes.
   */
  async take(page: ListPage): Promise<ListTaken> {
    const { store } = this.#options
    const { customers, unread = [] } = page
    const taken: Taking = {
      counts: { created: 0, updated: 0, unchanged: 0, deleted: 0, conflicts: 0 },
      fresh: 0,
      conflicting: [],
      notes: [],
      noteCount: 0,
    }
    for (let at = 0; at < Math.max(1, customers.length); at += atOnce) {
      await store.transaction(() => this.#apply(page, customers.slice(at, at + atOnce), { at, unread: at === 0 ? unread : [], taken }))
      await breath()
    }
    const shrunk = page.last ? await this.#removeAbsent(page.syncId, taken.counts) : false
    return store.transaction(() => this.#close(page, taken, shrunk))
  }

  /** Inside a transaction: a customer that was reported outside the list counts as part of it. */
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

  #apply(
    { syncId, from, total }: ListPage,
    customers: readonly CrmParty[],
    { at, unread, taken }: { readonly at: number; readonly unread: readonly string[]; readonly taken: Taking },
  ): void {
    const row = this.#rowOf(syncId, from)
    // The answer to the last page was lost on its way.
    if (row.endedAt !== null) return void (taken.counts.unchanged += customers.length)
    let { seen } = row
    for (const [index, customer] of customers.entries()) {
      const note = (path: string, words: string): void => {
        if (taken.noteCount++ < mostNotes) taken.notes.push(`/customers/${at + index}${path}: ${words}`)
      }
      const became = this.#options.customers.take(customer, { note })
      taken.counts[counted[became]]++
      if (became === 'conflict') taken.conflicting.push(customer.id)
      if (this.#marked(customer.id, syncId)) seen++
    }
    // A mark keeps a customer from being removed: one that is not stored needs none.
    for (const id of unread) if (this.#options.customers.has(id) && this.#marked(id, syncId)) seen++
    if (seen > mostParties) throw new ApiError('validation_failed', `The list has more than ${mostParties} customers.`)
    taken.fresh += seen - row.seen
    this.#keep({ ...row, seen, total: total ?? row.total, lastPageAt: this.#options.clock.now() })
  }

  /** All of the page is there. */
  #close({ syncId, from, cursor, last }: ListPage, { counts, ...more }: Taking, shrunk: boolean): ListTaken {
    const row = this.#rowOf(syncId, from)
    if (row.endedAt !== null) return { ...counts, ...more, shrunk: row.fault !== '', fresh: 0, conflicting: [] }
    const next = { ...row, cursor: last ? row.cursor : cursor }
    const now = this.#options.clock.now()
    const fault = shrunk ? 'suspicious shrink' : ''
    this.#keep(last ? { ...next, cursor: null, endedAt: now, fault, wholeAt: shrunk ? row.wholeAt : now } : next)
    return { ...counts, ...more, shrunk }
  }

  /** Removes who is not in the list, unless that is too many; whether it is. */
  async #removeAbsent(syncId: string, counts: ListCounts): Promise<boolean> {
    const row = this.state
    if (row?.syncId !== syncId || row.endedAt !== null) return false
    if (row.seen * 2 < row.before) return true
    const absent = await this.#absent(syncId)
    for (let at = 0; at < absent.length; at += atOnce) {
      await this.#options.store.transaction(() => {
        for (const id of absent.slice(at, at + atOnce)) if (this.#missing(id, syncId)) counts.deleted++
      })
      await breath()
    }
    return false
  }

  /** The row of this list; a new one where it begins. */
  #rowOf(syncId: string, from: PartySyncRow['from']): PartySyncRow {
    const row = this.state
    const now = this.#options.clock.now()
    if (row?.syncId === syncId) return row
    if (row !== undefined && row.endedAt === null && now - row.lastPageAt < abandonedMs)
      throw new ApiError('sync_running', 'Another full list of customers is being read.', { retryAfterSeconds: 60 })
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
  async #absent(syncId: string): Promise<string[]> {
    const { parties, partyMarks } = this.#options.store.tables
    const found: string[] = []
    for (let start = ''; ;) {
      const rows = [...parties.range({ start, limit: batch })]
      for (const { key: id, value } of rows) if (value.source === 'crm' && partyMarks.get(id) !== syncId) found.push(id)
      if (rows.length < batch) return found
      start = `${rows.at(-1)!.key}\0`
      await breath()
    }
  }
}
