/** The calls that are over: one row each, written in the transaction that ends the call, and looked for by people and programs. */
import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { Feed, type FeedPage } from '../inbox/feed.ts'
import type { CallOutcome, HistoryDirection } from '../schema/states.ts'
import type { Store } from '../store/store.ts'
import type { CallRow, HistoryRow } from '../store/tables.ts'
import { HistoryByNumber } from './by-number.ts'
import { historyOf } from './record.ts'

export interface HistoryQuery {
  /** A number as calls have it: E.164 or an extension; anybody who had a part in the call. */
  readonly number?: string
  readonly extension?: string
  readonly direction?: HistoryDirection
  readonly outcome?: CallOutcome
  /** Begun at or after, and before, in milliseconds since the epoch. */
  readonly from?: number
  readonly to?: number
}

export interface HistoryOptions {
  readonly store: Store
  readonly clock: Clock
  readonly keepDays: number
}

export interface PageBack {
  /** Newest first. */
  readonly items: readonly HistoryRow[]
  /** null: there are no older ones. */
  readonly nextBefore: number | null
}

const dayMs = 86_400_000
/** Rows read between two turns of the event loop. */
const batch = 500
/** Rows are kept in the order in which calls ended; none lasts longer. */
const longestCallMs = 2 * dayMs

export class History {
  readonly #options: HistoryOptions
  readonly #feed: Feed<HistoryRow>
  readonly #byNumber: HistoryByNumber

  constructor(options: HistoryOptions) {
    this.#options = options
    const { store, clock } = options
    const { history, meta } = store.tables
    this.#byNumber = new HistoryByNumber(store)
    this.#feed = new Feed('calls', { items: history, meta, transaction: (work) => store.transaction(work) }, clock)
  }

  /** Inside the transaction that ends the call. */
  add(row: CallRow): void {
    const history = historyOf(row, this.#options.clock.now())
    row.historySeq = this.#feed.insert(history)
    this.#byNumber.add(keyOf(row.historySeq), history)
  }

  /** After `since`, oldest first. Throws ApiError `cursor_from_the_future`. */
  page(since: number, limit: number, query: HistoryQuery): Promise<FeedPage<HistoryRow>> {
    return this.#feed.page(since, limit, (row) => fits(query, row))
  }

  /** Before `before`, newest first. */
  async pageBack(before: number | null, limit: number, query: HistoryQuery): Promise<PageBack> {
    const { history } = this.#options.store.tables
    const items: HistoryRow[] = []
    let end = before === null ? undefined : keyOf(before)
    for (;;) {
      const rows = [...history.range({ reverse: true, limit: batch, ...(end === undefined ? {} : { end }) })]
      for (const { key, value } of rows) {
        end = key
        if (query.from !== undefined && value.endedAt < query.from - longestCallMs) return { items, nextBefore: null }
        if (fits(query, value)) items.push(value)
        if (items.length === limit) return { items, nextBefore: Number(key) }
      }
      if (rows.length < batch) return { items, nextBefore: null }
      await breath()
    }
  }

  /** Newest first. */
  newest(limit: number): HistoryRow[] {
    return this.#feed.newest(limit).toReversed()
  }

  /** Calls in which this number outside had a part, newest first. */
  withNumber(number: string, limit: number): HistoryRow[] {
    return this.#byNumber.newest(number, limit)
  }

  /** Reads a store of before into what is looked for by number. */
  start(): Promise<void> {
    return this.#byNumber.build()
  }

  find(callId: string): HistoryRow | undefined {
    const { calls, history } = this.#options.store.tables
    const seq = calls.get(callId)?.historySeq
    const row = seq === undefined ? undefined : history.get(keyOf(seq))
    return row ?? this.#feed.find((other) => other.callId === callId)?.item
  }

  /** Removes what is past its time; how many. */
  async sweep(): Promise<number> {
    const oldest = this.#options.clock.now() - this.#options.keepDays * dayMs
    let removed = 0
    for (;;) {
      const gone = await this.#feed.purge(
        (row, since) => (since ?? row.endedAt) < oldest,
        (row, seq) => this.#byNumber.remove(keyOf(seq), row),
        { most: batch },
      )
      removed += gone.length
      if (gone.length < batch) return removed
      await breath()
    }
  }
}

// Whoever is asked for may have called, been called, or been connected.
function fits({ number, extension, direction, outcome, from, to }: HistoryQuery, row: HistoryRow): boolean {
  if (direction !== undefined && row.direction !== direction) return false
  if (outcome !== undefined && row.outcome !== outcome) return false
  if (from !== undefined && row.startedAt < from) return false
  if (to !== undefined && row.startedAt >= to) return false
  const hadPart = (who: string): boolean => row.legs.some((leg) => leg.to === who)
  if (extension !== undefined && row.extension !== extension && row.to !== extension && !hadPart(extension)) return false
  return number === undefined || row.from === number || row.to === number || hadPart(number)
}

function keyOf(seq: number): string {
  return String(seq).padStart(16, '0')
}
