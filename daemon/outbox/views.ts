/** Callbacks as a technician sees them: waiting, given up and, for a week, delivered. */
import { isoTime } from '../base/clock.ts'
import type { CallbackDetailView, CallbackView } from '../schema/callbacks.ts'
import type { CallbackState } from '../schema/states.ts'
import type { Tables } from '../store/store.ts'
import type { OutboxDoneRow, OutboxRow } from '../store/tables.ts'

const defaultLimit = 50

/** Newest first. */
export function listCallbacks(tables: Tables, query: { state?: CallbackState; limit?: number }): CallbackView[] {
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
export function showCallback(tables: Tables, eventId: string): CallbackDetailView | undefined {
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
