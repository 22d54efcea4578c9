/**
 * The records of calls: what a program is shown of a call from its first moment on, and what it may write into it. Each change raises
 * `rev` by one, in the transaction that writes the change.
 *
 * Another part that must store something together with such a change, as the queue for the CRM does, gives a `RecordWatch` (`watch`). Its
 * functions run inside that very transaction: they may write into tables, and read them as they will be; they must not wait, and what they throw undoes the change too. What is to happen only when all of it is on the disk is left to
 * `store.afterCommit`. A call's end is reported once (`state: 'ended'`), also where the daemon died during the call; an end that the disk
 * did not take is written, and reported, again.
 */
import type { Call } from '../calls/call.ts'
import { putCall } from '../calls/live-index.ts'
import { isTerminal } from '../calls/state.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { callIdPattern, newId } from '../base/ids.ts'
import type { CallRecordView, NoteView } from '../schema/history.ts'
import type { Store } from '../store/store.ts'
import type { CallRow, HistoryRow, NoteRow } from '../store/tables.ts'
import type { History } from './history.ts'
import { withLog, type LoggedCall } from './logged-call.ts'
import { liveRecordOf, noteView, liveStateOf } from './view.ts'

export interface RecordWatch {
  /** The record is as this from now on; not called for a call that waits to be dialled. */
  changed?(record: CallRecordView): void
  /** The call is in the history from now on: once for each, after `changed`. */
  ended?(record: CallRecordView): void
  /** A note came; after `changed` with the record that has it. */
  noted?(note: NoteView, record: CallRecordView): void
}

export interface CallRecordsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly history: History
  /** The call with that id, where it lives. */
  readonly live: (callId: string) => Call | undefined
}

export interface NewNote {
  readonly noteId?: string
  readonly text: string
  readonly authorUserId?: string
  readonly authorExtension?: string
  /** Milliseconds since the epoch; now where it is not there. */
  readonly createdAt?: number
}

export interface Logged {
  readonly record: CallRecordView
  /** It was as this before: nothing was written. */
  readonly duplicate: boolean
}

export const mostNotes = 100
/** Calls whose history waits for the disk; of what is beyond them the call alone is kept. */
const mostOwed = 10_000

export class CallRecords {
  readonly #options: CallRecordsOptions
  /** Calls that ended and are not in the history yet. */
  readonly #owed = new Set<string>()
  readonly #watches = new Set<RecordWatch>()

  constructor(options: CallRecordsOptions) {
    this.#options = options
  }

  /** Watches are notified in the order in which they came. */
  watch(watch: RecordWatch): void {
    this.#watches.add(watch)
  }

  /** Inside the transaction that writes the row of a call, before it is written: gives it its revision, and its end a row of the history. */
  write(row: CallRow): void {
    if (row.state === 'queued' || row.takes !== undefined) return
    const { store, clock, history } = this.#options
    const before = store.tables.calls.get(row.callId)
    const over = isTerminal(row.state)
    row.recordState = over ? 'ended' : liveStateOf(row, before?.recordState)
    const changed = before?.rev === undefined || factsOf(before) !== factsOf(row)
    row.rev = (before?.rev ?? 0) + (changed ? 1 : 0)
    if (!over) {
      if (changed) this.#tell(() => liveRecordOf(row, clock.now()))
      return
    }
    // On a disk that is nearly full calls come before their history, which follows.
    const takes = store.takes('history')
    if (takes) this.#addOwed()
    if (!takes) return this.#owe(row.callId)
    // Not found again by the index and read for each of the two: that took a thirtieth of the daemon's time of a call.
    const record = history.view(history.add(row))
    if (changed) this.#tell(() => record)
    this.#tellEnd(() => record)
  }

  #owe(callId: string): void {
    if (this.#owed.size < mostOwed) this.#owed.add(callId)
  }

  /** Inside a transaction. */
  #addOwed(): void {
    const { store, history } = this.#options
    const { calls } = store.tables
    const owed = [...this.#owed]
    for (const callId of owed) {
      const row = calls.get(callId)
      if (row === undefined || row.historySeq !== undefined) continue
      const record = history.view(history.add(row))
      calls.put(callId, row)
      this.#tell(() => record)
      this.#tellEnd(() => record)
    }
    if (owed.length > 0) store.afterCommit(() => owed.forEach((callId) => this.#owed.delete(callId)))
  }

  /** The history of calls that ended while the disk had no room for it. */
  async catchUp(): Promise<void> {
    const { store } = this.#options
    if (this.#owed.size > 0 && store.takes('history')) await store.transaction(() => this.#addOwed(), 'calls')
  }

  /** Of calls that live, the oldest first; as they are on the disk. */
  active(): CallRecordView[] {
    return this.#liveRows().map((row) => liveRecordOf(row, this.#options.clock.now()))
  }

  /** As they are on the disk; without what waits to be dialled. */
  #liveRows(): CallRow[] {
    const { calls, liveCalls } = this.#options.store.tables
    return [...liveCalls.range()].flatMap(({ key }) => calls.get(key) ?? []).filter(({ rev }) => rev !== undefined)
  }

  /** Of a call that lives or has ended. Throws ApiError `call_unknown`. */
  get(callId: string): CallRecordView {
    const row = this.#liveRow(callId)
    return row === undefined ? this.#past(callId) : liveRecordOf(row, this.#options.clock.now())
  }

  /**
   * The CRM says who took a call. When it was taken is what the box knows. `rev`: that of the record it has seen; a late one changes
   * nothing. Throws ApiError `call_unknown`, `call_ended`.
   */
  answer(callId: string, { userId, rev = Infinity }: { readonly userId?: string; readonly rev?: number }): Promise<CallRecordView> {
    return this.#options.store.transaction(() => {
      const row = this.#liveRow(callId)
      if (row === undefined) {
        this.#past(callId)
        throw new ApiError('call_ended', 'This call has ended.')
      }
      if (userId !== undefined && rev >= (row.rev ?? 1)) this.#changeLive(callId, (live) => (live.userId = userId))
      return this.get(callId)
    })
  }

  /** That a call has ended; nothing is hung up by it. Throws ApiError `call_unknown`, `call_live`. */
  end(callId: string): CallRecordView {
    if (this.#liveRow(callId) !== undefined) throw stillLive()
    return this.#past(callId)
  }

  /**
   * The record of a call that another system had, or what it adds to one of ours, whose facts stay as they were measured. The higher
   * revision wins; the same one is a repetition. Throws ApiError `call_live`, `stale_rev`.
   */
  log(call: LoggedCall): Promise<Logged> {
    const { store, history } = this.#options
    return store.transaction(() => {
      if (this.#liveRow(call.callId) !== undefined) throw stillLive()
      const before = history.find(call.callId)
      const known = before?.rev ?? 1
      if (before !== undefined && call.rev < known)
        throw new ApiError('stale_rev', `Revision ${call.rev} is older than the stored one.`, { extra: { rev: known } })
      if (before !== undefined && call.rev === known) return { record: history.view(before), duplicate: true }
      const row = withLog(before, call)
      if (before === undefined) history.insert(row)
      else history.replace(row)
      const record = history.view(row)
      this.#tell(() => record)
      if (before === undefined) this.#tellEnd(() => record)
      return { record, duplicate: false }
    }, 'crm')
  }

  /** Inside a transaction: the calls of the party `from` are those of `to` from now on. */
  moveToParty(from: string, to: string): void {
    const { history } = this.#options
    for (const row of this.#liveRows()) if (row.customerId === from) this.#changeLive(row.callId, (live) => (live.customerId = to))
    for (const row of history.ofParty(from, Infinity)) {
      const changed: HistoryRow = { ...row, customerId: to, rev: (row.rev ?? 1) + 1 }
      history.replace(changed)
      this.#tell(() => this.#options.history.view(changed))
    }
  }

  /**
   * Notes for a call that lives or has ended, in this order; one whose id the call has already is not written twice. `alongside` runs in
   * the same transaction. Throws ApiError `call_unknown`, and `validation_failed` where the call has too many.
   */
  addNotes(
    callId: string,
    given: readonly NewNote[],
    origin: NoteRow['origin'],
    alongside: (notes: readonly NoteView[]) => void,
  ): Promise<NoteView[]> {
    const { store, clock } = this.#options
    return store.transaction(() => {
      const before = (this.#liveRow(callId) ?? this.#pastRow(callId)).notes ?? []
      const known = new Map(before.map((note) => [note.noteId, note]))
      const asked = given.map(({ noteId = newId(), createdAt = clock.now(), ...note }): NoteRow => {
        const row = known.get(noteId) ?? { noteId, ...note, createdAt, origin }
        known.set(noteId, row)
        return row
      })
      if (known.size > mostNotes) throw new ApiError('validation_failed', `A call has at most ${mostNotes} notes.`)
      const fresh = [...known.values()].slice(before.length)
      if (fresh.length > 0) this.#keepNotes(callId, [...known.values()], fresh)
      const views = asked.map((note) => noteView(callId, note))
      alongside(views)
      return views
    }, 'crm')
  }

  /** Inside a transaction: something that the record shows and others keep, as a transcript, has changed. A call that lives says so at its end. */
  touched(callId: string): void {
    const row = this.#liveRow(callId) === undefined ? this.#options.history.find(callId) : undefined
    if (row === undefined) return
    const changed: HistoryRow = { ...row, rev: (row.rev ?? 1) + 1 }
    this.#options.history.replace(changed)
    this.#tell(() => this.#options.history.view(changed))
  }

  #keepNotes(callId: string, notes: NoteRow[], fresh: readonly NoteRow[]): void {
    if (this.#liveRow(callId) !== undefined) this.#changeLive(callId, (row) => (row.notes = notes))
    else {
      const row = this.#pastRow(callId)
      const changed: HistoryRow = { ...row, notes, rev: (row.rev ?? 1) + 1 }
      this.#options.history.replace(changed)
      this.#tell(() => this.#options.history.view(changed))
    }
    const watches = this.#watches
    if (watches.size === 0) return
    const record = this.get(callId)
    for (const note of fresh) for (const watch of watches) watch.noted?.(noteView(callId, note), record)
  }

  /** The row of the call in memory is changed too: it is what is written next. */
  #changeLive(callId: string, change: (row: CallRow) => void): void {
    const { live, store } = this.#options
    const call = live(callId)
    if (call !== undefined) change(call.row)
    const row = call === undefined || isTerminal(call.row.state) ? this.#liveRow(callId)! : call.kept
    change(row)
    this.write(row)
    putCall(store.tables, row)
  }

  #tell(record: () => CallRecordView): void {
    const watches = this.#watches
    if (watches.size === 0) return
    const now = record()
    for (const watch of watches) watch.changed?.(now)
  }

  #tellEnd(record: () => CallRecordView): void {
    const watches = [...this.#watches].filter((watch) => watch.ended !== undefined)
    if (watches.length === 0) return
    const ended = record()
    for (const watch of watches) watch.ended?.(ended)
  }

  /** As it is stored, where the call began and has not ended. */
  #liveRow(callId: string): CallRow | undefined {
    const row = callIdPattern.test(callId) ? this.#options.store.tables.calls.get(callId) : undefined
    return row === undefined || isTerminal(row.state) ? undefined : row
  }

  #pastRow(callId: string): HistoryRow {
    const row = this.#options.history.find(callId)
    if (row === undefined) throw new ApiError('call_unknown', 'There is no call with that id.')
    return row
  }

  #past(callId: string): CallRecordView {
    return this.#options.history.view(this.#pastRow(callId))
  }
}

function stillLive(): ApiError {
  return new ApiError('call_live', 'This call is in progress: its end is recorded when it has ended.')
}

/** What raises the revision when it changes. */
function factsOf({
  recordState,
  extension,
  customerId,
  userId,
  callerName,
  externalRef,
  held,
  notes,
  legs = [],
  recordings,
}: CallRow): string {
  const rung = legs.filter(({ trunkId }) => trunkId === '').map(({ to }) => to)
  const taken = legs.filter(({ answeredAt }) => answeredAt !== null).map(({ to }) => to)
  const noteIds = notes?.map(({ noteId }) => noteId)
  return JSON.stringify([
    recordState,
    extension,
    customerId,
    userId,
    callerName,
    externalRef,
    held === true,
    noteIds,
    rung,
    taken,
    recordings,
  ])
}
