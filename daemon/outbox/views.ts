/** Callbacks as a technician sees them: waiting, given up and, for a week, delivered. */
import type { CallbackState } from '../schema/states.ts'
import type { Tables } from '../store/store.ts'
import type { OutboxDoneRow, OutboxRow } from '../store/tables.ts'

/** Times are milliseconds since the epoch. */
export interface CallbackView {
  eventId: string
  kind: string
  subject: string
  url: string
  state: CallbackState
  attempts: number
  createdAt: number
  /** Null where no further attempt is planned. */
  nextAt: number | null
  /** 0 where no answer came. */
  lastStatus: number
  lastError: string
  lastAttemptAt: number | null
}

export interface CallbackDetail extends CallbackView {
  /** The exact bytes; '' once delivered. */
  body: string
}

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
  return views.sort((a, b) => b.createdAt - a.createdAt || (a.eventId < b.eventId ? 1 : -1)).slice(0, limit)
}

export function showCallback(tables: Tables, eventId: string): CallbackDetail | undefined {
  const row = tables.outbox.get(eventId) ?? tables.deadLetters.get(eventId) ?? tables.outboxDone.get(eventId)
  return row === undefined ? undefined : { ...view(row), body: row.body }
}

function view(row: OutboxRow | OutboxDoneRow): CallbackView {
  const { eventId, kind, subject, url, attempts, createdAt, lastStatus, lastError, lastAttemptAt } = row
  const state = 'outcome' in row ? row.outcome : 'pending'
  const nextAt = 'nextAt' in row ? row.nextAt : null
  return { eventId, kind, subject, url, state, attempts, createdAt, nextAt, lastStatus, lastError, lastAttemptAt }
}
