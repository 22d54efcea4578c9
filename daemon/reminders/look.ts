/** Lists of reminders: those of a day by the time of their appointments, or the newest. */
import type { Store } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import { statusOf } from './view.ts'
import { addDays, instantOf } from './zone.ts'
import { createHash } from 'node:crypto'

/** The index of reminders: which one a request is about, and which ones are on a day. Keys of the table `reminderKeys`. */
type Identity = Pick<ReminderRow, 'externalRef' | 'number' | 'appointmentAt' | 'serviceName'>

const hash = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** The same request again has the same key. */
export function sameKey({ externalRef, number, appointmentAt, serviceName }: Identity): string {
  return `same/${hash([externalRef, number, appointmentAt, externalRef === '' ? serviceName : ''])}`
}

/** The latest reminder with this reference; null without one. */
export function referenceKey({ externalRef }: Pick<Identity, 'externalRef'>): string | null {
  return externalRef === '' ? null : `ref/${hash([externalRef])}`
}

const timeDigits = 13

/** Sorts by the time of the appointment. */
export function timeKey({ appointmentAt, reminderId }: Pick<ReminderRow, 'appointmentAt' | 'reminderId'>): string {
  return `at/${timePrefix(appointmentAt)}/${reminderId}`
}

/** Bounds of a range over `timeKey`. */
function timeRange(start: number, end: number): { start: string; end: string } {
  return { start: `at/${timePrefix(start)}`, end: `at/${timePrefix(end)}` }
}

function timePrefix(at: number): string {
  return String(Math.max(0, at)).padStart(timeDigits, '0')
}

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

/** Rows looked at for one page, so that a rare status never holds up the daemon. */
const mostSearched = 5000

export function lookUp(store: Store, { day, zone, status, limit, cursor }: ReminderQuery): ReminderPage {
  const rows: ReminderRow[] = []
  let seen = 0
  let last: ReminderRow | undefined
  for (const row of day === undefined ? newest(store, cursor) : onDay(store, day, zone, cursor)) {
    if (last !== undefined && (rows.length === limit || seen === mostSearched)) return { rows, nextCursor: last.reminderId }
    last = row
    seen += 1
    if (status === undefined || statusOf(row) === status) rows.push(row)
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
