/** Lists of reminders: those of a day by the time of their appointments, or the newest. */
import type { Store } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import { timeKey, timeRange } from './keys.ts'
import { statusOf } from './view.ts'
import { addDays, instantOf } from './zone.ts'

export interface ReminderQuery {
  /** Of the appointments, in `zone`. */
  readonly day?: string
  readonly zone: string
  readonly status?: string
  readonly limit: number
  /** The last one of the page before: its id. */
  readonly cursor?: string
}

export interface ReminderPage {
  readonly rows: readonly ReminderRow[]
  /** Null at the end. */
  readonly nextCursor: string | null
}

export function lookUp(store: Store, { day, zone, status, limit, cursor }: ReminderQuery): ReminderPage {
  const rows: ReminderRow[] = []
  for (const row of day === undefined ? newest(store, cursor) : onDay(store, day, zone, cursor)) {
    if (status !== undefined && statusOf(row) !== status) continue
    if (rows.length === limit) return { rows, nextCursor: rows.at(-1)!.reminderId }
    rows.push(row)
  }
  return { rows, nextCursor: null }
}

function* newest({ tables }: Store, cursor: string | undefined): Iterable<ReminderRow> {
  const range = tables.reminders.range({ reverse: true, ...(cursor === undefined ? {} : { end: cursor }) })
  for (const { value } of range) yield value
}

function* onDay({ tables }: Store, day: string, zone: string, cursor: string | undefined): Iterable<ReminderRow> {
  const bounds = timeRange(instantOf(day, 0, zone), instantOf(addDays(day, 1), 0, zone))
  const last = cursor === undefined ? undefined : tables.reminders.get(cursor)
  // Printable keys: what follows `~` in a key is nothing.
  const start = last === undefined ? bounds.start : `${timeKey(last)}~`
  for (const { value } of tables.reminderKeys.range({ start: start > bounds.start ? start : bounds.start, end: bounds.end })) {
    const row = tables.reminders.get(value.reminderId)
    if (row !== undefined) yield row
  }
}
