/** The calls that have ended: one row each, written in the transaction that ends the call, and searched by people and programs. */
import { setImmediate as breath } from 'node:timers/promises'
import { isoTime, type Clock } from '../base/clock.ts'
import { callIdPattern } from '../base/ids.ts'
import { Feed, type FeedPage } from '../inbox/feed.ts'
import { type CallRecordView, finds } from '../schema/history.ts'
import type { CallOutcome, HistoryDirection } from '../schema/states.ts'
import type { Store } from '../store/store.ts'
import type { CallRow, HistoryRow } from '../store/tables.ts'
import { HistoryIndex, partyName } from './history-index.ts'
import { historyOf } from './record.ts'
import { recordOf } from './view.ts'

// What the record of a call says of its recording: read where it is kept, so that what is deleted there is deleted here.

/** Of the last; undefined where the call has none. */
function recordingOf({ recordings, recordingsBegun }: Store['tables'], ids: readonly string[]): CallRecordView['recording'] {
  const id = ids.at(-1)
  if (id === undefined) return undefined
  const row = recordings.get(id)
  if (row === undefined) return { state: recordingsBegun.get(id) === undefined ? 'expired' : 'pending' }
  return {
    state: row.transcriptStatus === 'pending' ? 'pending' : 'ready',
    mediaUrl: `/api/voice/recordings/${id}`,
    durationSeconds: Math.round(row.durationMs / 1000),
    ...(row.transcript === '' ? {} : { transcript: row.transcript }),
  }
}

export interface HistoryQuery {
  /** A number as calls have it: E.164 or an extension; anybody who had a part in the call. */
  readonly number?: string
  readonly extension?: string
  /** Calls of this party of the directory. */
  readonly customerId?: string
  /** A part of a number, or of the caller's name. */
  readonly q?: string
  /** A queue in which the caller waited. */
  readonly queue?: string
  /** Of callers whom nobody talked to: whether the house has talked with them since. */
  readonly returned?: boolean
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
/** Later calls with a number that are looked at. */
const mostLater = 200
/** Rows are kept in the order in which calls ended; none lasts longer. */
const longestCallMs = 2 * dayMs

export class History {
  readonly #options: HistoryOptions
  readonly #feed: Feed<HistoryRow>
  readonly #index: HistoryIndex

  constructor(options: HistoryOptions) {
    this.#options = options
    const { store, clock } = options
    const { history, meta } = store.tables
    this.#index = new HistoryIndex(store)
    this.#feed = new Feed('calls', { items: history, meta, transaction: (work) => store.transaction(work) }, clock)
  }

  /** Inside the transaction that ends the call: as it is kept. */
  add(row: CallRow): HistoryRow {
    const kept = historyOf(row, this.#options.clock.now())
    row.historySeq = this.insert(kept)
    return kept
  }

  /** Inside a transaction: a call that ended elsewhere. Its number in the feed. */
  insert(row: HistoryRow): number {
    const seq = this.#feed.insert(row)
    this.#index.add(keyOf(seq), row)
    return seq
  }

  /** Inside a transaction: the call that this one has the id of is as this one from now on, at the same place of the feed. */
  replace(row: HistoryRow): void {
    const key = this.#keyOf(row.callId)
    const before = key === undefined ? undefined : this.#options.store.tables.history.get(key)
    if (key === undefined || before === undefined) return
    this.#index.remove(key, before)
    this.#index.add(key, row)
    this.#options.store.tables.history.put(key, row)
  }

  /** After `since`, oldest first. Throws ApiError `cursor_from_the_future`. */
  page(since: number, limit: number, query: HistoryQuery): Promise<FeedPage<HistoryRow>> {
    return this.#feed.page(since, limit, this.#filter(query))
  }

  /** Before `before`, newest first. */
  async pageBack(before: number | null, limit: number, query: HistoryQuery): Promise<PageBack> {
    const { history } = this.#options.store.tables
    const items: HistoryRow[] = []
    const isWanted = this.#filter(query)
    // Where every row fits, no more are read than are shown.
    const size = Object.values(query).every((one) => one === undefined) ? limit : batch
    let end = before === null ? undefined : keyOf(before)
    // Of a party and of a number outside, the index knows the rows; of all others no more need to be read than there are.
    const name = indexName(query)
    const known = name !== null && this.#index.built ? name : null
    for (;;) {
      const rows =
        known === null
          ? history.rows({ reverse: true, limit: size, ...(end === undefined ? {} : { end }) })
          : this.#index.rowsBefore(known, end, size)
      for (const { key, value } of rows) {
        end = key
        // A call reported by another system may have been long before.
        const early = query.from !== undefined && value.outside !== true && value.endedAt < query.from - longestCallMs
        if (early) return { items, nextBefore: null }
        if (isWanted(value)) items.push(value)
        if (items.length === limit) return { items, nextBefore: Number(key) }
      }
      if (rows.length < size) return { items, nextBefore: null }
      await breath()
    }
  }

  #filter(query: HistoryQuery): (row: HistoryRow) => boolean {
    const { q, returned } = query
    const isFound = q === undefined ? null : finds(q)
    return (row) =>
      fits(query, row) &&
      (isFound === null || isFound({ names: [row.callerName], numbers: [row.from, row.to, ...row.legs.map(({ to }) => to)] })) &&
      (returned === undefined || (wasMissed(row) && (this.#returnOf(row) !== undefined) === returned))
  }

  /** The first call since in which the house and the caller talked. */
  #returnOf({ from, endedAt }: HistoryRow): HistoryRow | undefined {
    if (!/^\+\d+$/.test(from)) return undefined
    return this.#index.newest(from, mostLater).findLast((later) => later.endedAt > endedAt && hasTalked(later, from))
  }

  /** Newest first. */
  newest(limit: number): HistoryRow[] {
    return this.#feed.newest(limit).items.toReversed()
  }

  /** Calls in which this number outside had a part, newest first. */
  withNumber(number: string, limit: number): HistoryRow[] {
    return this.#index.newest(number, limit)
  }

  /** Calls of a party, newest first. */
  ofParty(id: string, limit: number): HistoryRow[] {
    return this.#index.ofParty(id, limit)
  }

  /** Reads an older store into the index by number and by id. */
  start(): Promise<void> {
    return this.#index.build()
  }

  /** As programs see it. */
  view(row: HistoryRow): CallRecordView {
    return recordOf(row, recordingOf(this.#options.store.tables, row.recordings))
  }

  /** The same, and who has talked with the caller since. */
  viewWithReturn(row: HistoryRow): CallRecordView {
    if (!wasMissed(row)) return this.view(row)
    const talk = this.#returnOf(row)
    if (talk === undefined) return { ...this.view(row), returned: null }
    const { callId, extension, direction, answeredAt, startedAt } = talk
    const at = isoTime(answeredAt ?? startedAt)
    return { ...this.view(row), returned: { callId, at, extension, direction: direction === 'inbound' ? direction : 'outbound' } }
  }

  find(callId: string): HistoryRow | undefined {
    const key = this.#keyOf(callId)
    return key === undefined ? undefined : this.#options.store.tables.history.get(key)
  }

  /** A store written before the index existed is read through while it starts. */
  #keyOf(callId: string): string | undefined {
    if (!callIdPattern.test(callId)) return undefined
    const seq = this.#options.store.tables.calls.get(callId)?.historySeq
    return seq === undefined ? this.#index.keyOf(callId) : keyOf(seq)
  }

  /** Removes what is past its time; how many. */
  async sweep(): Promise<number> {
    const oldest = this.#options.clock.now() - this.#options.keepDays * dayMs
    let removed = 0
    for (;;) {
      const gone = await this.#feed.purge(
        (row, since) => (since ?? row.endedAt) < oldest,
        (row, seq) => this.#index.remove(keyOf(seq), row),
        { most: batch },
      )
      removed += gone.length
      if (gone.length < batch) return removed
      await breath()
    }
  }
}

/** Somebody called, and nobody of the house talked to them. */
const wasMissed = ({ direction, outcome }: HistoryRow): boolean =>
  direction === 'inbound' && ['missed', 'abandoned', 'voicemail', 'busy'].includes(outcome)

/** Somebody of the house talked with that number. */
function hasTalked({ direction, outcome, extension, legs }: HistoryRow, number: string): boolean {
  if (outcome !== 'answered' || extension === '') return false
  return direction === 'inbound' || legs.some(({ to, answeredAt }) => to === number && answeredAt !== null)
}

/** Under which the index has the calls asked for; null: it has them under nothing. */
function indexName({ number, customerId }: HistoryQuery): string | null {
  if (customerId !== undefined) return partyName(customerId)
  return number !== undefined && /^\+\d+$/.test(number) ? number : null
}

// The number asked for may have called, been called, or been connected.
function fits({ number, extension, customerId, queue, direction, outcome, from, to }: HistoryQuery, row: HistoryRow): boolean {
  if (customerId !== undefined && row.customerId !== customerId) return false
  if (queue !== undefined && !row.steps.some((step) => step.to === `queue:${queue}`)) return false
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
