/**
 * What is still to be sent to the CRM, in the store: written in the transaction that ends the call, or changes what is known of it, and
 * removed in the one that notes that it was sent.
 */
import type { Clock } from '../../base/clock.ts'
import type { History } from '../../history/history.ts'
import type { RecordWatch } from '../../history/records.ts'
import { newId } from '../../base/ids.ts'
import type { CallRecordView, NoteView } from '../../schema/history.ts'
import type { Store } from '../../store/store.ts'
import type { CrmPendingRow } from '../../store/tables.ts'

export interface PendingOptions {
  readonly store: Store
  readonly clock: Clock
  readonly history: Pick<History, 'find' | 'replace'>
  /** Whether a CRM is configured. */
  readonly configured: boolean
  /** How many wait. */
  readonly size: () => number
  /** Called when the queue is full: the entry is dropped and never sent to the CRM. */
  readonly overflowed: () => void
}

/** Recordings and what was said in them are waited for that long. */
const settleMs = 60_000
const mostPending = 100_000
const deadMs = 90 * 24 * 3_600_000
const recordNumber = '000000'

export class Pending implements RecordWatch {
  readonly #options: PendingOptions
  readonly #observers = new Set<(key: string, row: CrmPendingRow) => void>()
  /** null: not counted yet, or changed. */
  #dead: number | null = null

  constructor(options: PendingOptions) {
    this.#options = options
  }

  /** The observer is called after the commit with a row that is as this from now on. */
  onChange(tell: (key: string, row: CrmPendingRow) => void): void {
    this.#observers.add(tell)
  }

  /** Rows that were given up. */
  get dead(): number {
    return (this.#dead ??= [...this.rows()].filter(({ row }) => row.deadAt !== null).length)
  }

  *rows(): Iterable<{ readonly key: string; readonly row: CrmPendingRow }> {
    for (const { key, value } of this.#options.store.tables.crmPending.range()) yield { key, row: value }
  }

  get(key: string): CrmPendingRow | undefined {
    return this.#options.store.tables.crmPending.get(key)
  }

  changed(record: CallRecordView): void {
    if (!this.#options.configured || record.state !== 'ended') return
    const endedAt = Date.parse(record.endedAt!)
    const { clock, store, history } = this.#options
    // The CRM brought it.
    if (history.find(record.callId)?.outside === true) return
    const key = keyOf(endedAt, record.callId, recordNumber)
    const before = store.tables.crmPending.get(key)
    // The record of a call is sent as it stands at that moment: one row is enough for many changes.
    const settles = record.recording?.state === 'pending' && clock.now() - endedAt < settleMs
    const nextAt = settles ? endedAt + settleMs : clock.now()
    const row = this.#put(key, before, { callId: record.callId, endedAt, noteId: null, rev: record.rev, nextAt })
    if (row === null) return
    this.#mark(record.callId)
    if (before === undefined) for (const note of record.notes ?? []) this.noted(note, record)
  }

  noted(note: NoteView, record: CallRecordView): void {
    const { configured, clock } = this.#options
    // What the CRM itself brought it knows.
    if (!configured || record.state !== 'ended' || note.origin !== 'pbx') return
    const endedAt = Date.parse(record.endedAt!)
    const at = (record.notes ?? []).findIndex(({ noteId }) => noteId === note.noteId) + 1
    const key = keyOf(endedAt, record.callId, String(at).padStart(6, '0'))
    this.#put(key, undefined, { callId: record.callId, endedAt, noteId: note.noteId, rev: record.rev, nextAt: clock.now() })
  }

  /** The CRM has it, as it was at `rev`; whether nothing newer waits. */
  async told(key: string, rev: number, crmLogId: string | undefined): Promise<boolean> {
    const { store, history } = this.#options
    return store.transaction(() => {
      const row = store.tables.crmPending.get(key)
      if (row === undefined) return true
      const done = row.rev <= rev
      if (done) store.tables.crmPending.remove(key)
      const past = row.noteId === null ? history.find(row.callId) : undefined
      if (past !== undefined)
        history.replace({ ...past, crmSync: done ? 'synced' : 'pending', ...(crmLogId === undefined ? {} : { crmLogId }) })
      return done
    })
  }

  /** The CRM did not take it; `change` says when it is sent again, or that it is not. */
  failed(key: string, change: Partial<CrmPendingRow>): Promise<CrmPendingRow | undefined> {
    const { store, history } = this.#options
    return store.transaction(() => {
      const before = store.tables.crmPending.get(key)
      if (before === undefined) return undefined
      const row = { ...before, ...change }
      store.tables.crmPending.put(key, row)
      if (row.deadAt !== null && before.deadAt === null) {
        const past = row.noteId === null ? history.find(row.callId) : undefined
        if (past !== undefined) history.replace({ ...past, crmSync: 'dead' })
        store.afterCommit(() => (this.#dead = null))
      }
      return row
    })
  }

  /** The call is not kept any more. */
  drop(key: string): Promise<void> {
    const { store } = this.#options
    return store.transaction(() => {
      const row = store.tables.crmPending.get(key)
      if (row !== undefined) store.tables.crmPending.remove(key)
    })
  }

  /** What was given up is tried again; how many. */
  revive(): Promise<number> {
    const { store, clock } = this.#options
    return store.transaction(() => {
      const dead = [...this.rows()].filter(({ row }) => row.deadAt !== null)
      for (const { key, row } of dead) {
        const fresh: CrmPendingRow = { ...row, deadAt: null, attempts: 0, refusals: 0, createdAt: clock.now(), nextAt: clock.now() }
        store.tables.crmPending.put(key, fresh)
        this.#mark(row.callId)
        store.afterCommit(() => this.#tell(key, fresh))
      }
      if (dead.length > 0) store.afterCommit(() => (this.#dead = null))
      return dead.length
    })
  }

  /** What was given up long ago; how many. */
  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    if (this.dead === 0) return 0
    const oldest = clock.now() - deadMs
    const old = [...this.rows()].filter(({ row }) => row.deadAt !== null && row.deadAt < oldest)
    if (old.length > 0) await store.transaction(() => old.forEach(({ key }) => store.tables.crmPending.remove(key)))
    this.#dead = null
    return old.length
  }

  #put(
    key: string,
    before: CrmPendingRow | undefined,
    about: Pick<CrmPendingRow, 'callId' | 'endedAt' | 'noteId' | 'rev' | 'nextAt'>,
  ): CrmPendingRow | null {
    const { store, clock, size, overflowed } = this.#options
    const fresh = before === undefined || before.deadAt !== null
    if (fresh && size() >= mostPending) {
      store.afterCommit(overflowed)
      return null
    }
    const row: CrmPendingRow = {
      ...about,
      eventId: newId(),
      attempts: 0,
      refusals: 0,
      createdAt: clock.now(),
      lastStatus: before?.lastStatus ?? 0,
      lastError: before?.lastError ?? '',
      deadAt: null,
    }
    store.tables.crmPending.put(key, row)
    store.afterCommit(() => {
      if (before?.deadAt !== undefined && before.deadAt !== null) this.#dead = null
      this.#tell(key, row)
    })
    return row
  }

  #mark(callId: string): void {
    const history = this.#options.history
    const past = history.find(callId)
    if (past !== undefined && past.crmSync !== 'pending') history.replace({ ...past, crmSync: 'pending' })
  }

  #tell(key: string, row: CrmPendingRow): void {
    for (const observe of this.#observers) observe(key, row)
  }
}

const keyOf = (endedAt: number, callId: string, number: string): string => `${String(endedAt).padStart(16, '0')} ${callId} ${number}`
