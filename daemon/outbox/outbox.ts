/**
 * The outbox: callbacks that are written in the transaction of what they report, and delivered at least once until a
 * 2xx or the end of their schedule. The store holds the truth; in memory is only what falls due when.
 */
import { wireBody, type OutgoingEvent } from '../schema/events.ts'
import type { CallbackState } from '../schema/states.ts'
import type { OutboxRow, OutboxDoneRow } from '../store/tables.ts'
import { Deliveries, type DeliveryOptions } from './deliveries.ts'
import { Ledger } from './ledger.ts'
import type { CallbackDetailView, CallbackView } from '../schema/applications.ts'
import { isoTime } from '../base/clock.ts'
import type { Tables } from '../store/store.ts'

/** Callbacks as a technician sees them: waiting, given up and, for a week, delivered. */
const defaultLimit = 50

/** Newest first. */
function listCallbacks(tables: Tables, query: { state?: CallbackState; limit?: number }): CallbackView[] {
  const limit = query.limit ?? defaultLimit
  const wanted = (state: CallbackState): boolean => query.state === undefined || query.state === state
  const newest = { reverse: true, limit }
  const views: CallbackView[] = []
  if (wanted('pending')) for (const { value } of tables.outbox.range(newest)) views.push(view(value))
  if (wanted('dead')) for (const { value } of tables.deadLetters.range(newest)) views.push(view(value))
  if (wanted('delivered')) for (const { value } of tables.outboxDone.range(newest)) views.push(view(value))
  return views.sort((a, b) => compare(b.createdAt, a.createdAt) || compare(b.eventId, a.eventId)).slice(0, limit)
}

/** Undefined for one that is not kept any more, or never was. */
function showCallback(tables: Tables, eventId: string): CallbackDetailView | undefined {
  const row = tables.outbox.get(eventId) ?? tables.deadLetters.get(eventId) ?? tables.outboxDone.get(eventId)
  return row === undefined ? undefined : { ...view(row), lastAttemptAt: isoTime(row.lastAttemptAt), body: row.body }
}

/** Times of ISO 8601 in UTC are in the order of their texts. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function view(row: OutboxRow | OutboxDoneRow): CallbackView {
  const { eventId, kind, subject, url, attempts, lastError, lastStatus } = row
  const state = 'outcome' in row ? row.outcome : 'pending'
  const nextAttemptAt = isoTime('nextAt' in row ? row.nextAt : null)
  const lastResult = lastError !== '' ? lastError : lastStatus === 0 ? '' : String(lastStatus)
  return { eventId, kind, subject, url, state, attempts, createdAt: isoTime(row.createdAt), nextAttemptAt, lastResult }
}

export interface Callback {
  /** Its eventId is that of the callback: receivers know a repeated delivery by it. */
  event: OutgoingEvent
  /** What it is about: the callId. */
  subject: string
  url: string
  /** Name of the secret: `callbacks` or `endpoint:<id>`. */
  secret: string
  schedule: 'standard' | 'call'
  /** Callbacks of one fifo are delivered in order, one at a time. */
  fifo?: string
}

export interface Outbox {
  /** Inside a store transaction. */
  enqueue(callback: Callback): void
  /** After the commit: looks for what is new. */
  wake(): void
  /** Newest first. */
  list(options?: { state?: CallbackState; limit?: number }): CallbackView[]
  show(eventId: string): CallbackDetailView | undefined
  /** Makes it due now, a dead one with a fresh schedule; false where there is none or it is delivered. `alongside` runs in the transaction. */
  retry(eventId: string, alongside?: () => void): Promise<boolean>
  stats(): { pending: number; oldestPendingAt: number | null; dead: number }
  /** Removes callbacks that ended long ago; how many. */
  sweep(): Promise<number>
  start(): void
  /** Attempts under way get a moment; what is then open is tried again after the next start. */
  stop(): Promise<void>
}

export interface OutboxOptions extends Omit<DeliveryOptions, 'ledger'> {
  /** How long callbacks that were given up are kept. */
  readonly deadDays?: number
  /** How long results may wait so that many share one commit. */
  readonly batchMs?: number
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { store, clock, log } = options
  const { outbox, deadLetters } = store.tables
  const ledger = new Ledger({ store, clock, log, batchMs: options.batchMs ?? 100, deadMs: (options.deadDays ?? 30) * 86_400_000 })
  const deliveries = new Deliveries({ ...options, ledger })
  /** Of the last row that was written, whenever that was: ids begin with a time of day that may have been set. */
  let order = 0
  for (const { value } of outbox.range()) order = Math.max(order, value.order ?? 0)
  return {
    enqueue(callback) {
      const row = rowOf(callback, ++order, clock.now())
      outbox.put(row.eventId, row)
      deliveries.expect(row)
    },
    wake: () => deliveries.wake(),
    list: (query = {}) => listCallbacks(store.tables, query),
    show: (eventId) => showCallback(store.tables, eventId),
    async retry(eventId, alongside) {
      await ledger.flush()
      const row = await store.transaction(() => {
        const dead = deadLetters.get(eventId)
        const old = dead ?? outbox.get(eventId)
        if (old === undefined) return undefined
        const again: OutboxRow = { ...withoutOutcome(old), attempts: dead === undefined ? old.attempts : 0, nextAt: clock.now() }
        outbox.put(eventId, again)
        deadLetters.remove(eventId)
        alongside?.()
        return again
      })
      if (row === undefined) return false
      deliveries.hurry(row)
      return true
    },
    stats() {
      const oldest = [...outbox.range({ limit: 1 })][0]?.value
      return { pending: outbox.count(), oldestPendingAt: oldest?.createdAt ?? null, dead: deadLetters.count() }
    },
    start: () => deliveries.start(),
    sweep: () => ledger.sweep(),
    async stop() {
      await deliveries.stop()
      await ledger.stop()
      await deliveries.close()
    },
  }
}

function rowOf({ event, fifo = '', ...to }: Callback, order: number, now: number): OutboxRow {
  return {
    ...to,
    eventId: event.eventId,
    kind: event.event,
    body: wireBody(event),
    fifo,
    createdAt: now,
    order,
    attempts: 0,
    nextAt: now,
    lastStatus: 0,
    lastError: '',
    lastAttemptAt: null,
  }
}

function withoutOutcome(row: OutboxRow | (Omit<OutboxRow, 'nextAt'> & { outcome: string; endedAt: number })): Omit<OutboxRow, 'nextAt'> {
  const { eventId, kind, subject, url, secret, body, schedule, fifo, createdAt, attempts, lastStatus, lastError, lastAttemptAt } = row
  return { eventId, kind, subject, url, secret, body, schedule, fifo, createdAt, attempts, lastStatus, lastError, lastAttemptAt }
}
