/** The index of reminders: which one a request is about, and which ones are on a day. Keys of the table `reminderKeys`. */
import { createHash } from 'node:crypto'
import type { ReminderRow } from '../store/tables.ts'

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
export function timeRange(start: number, end: number): { start: string; end: string } {
  return { start: `at/${timePrefix(start)}`, end: `at/${timePrefix(end)}` }
}

function timePrefix(at: number): string {
  return String(Math.max(0, at)).padStart(timeDigits, '0')
}
