/** What is done with a reminder whose time has come, and with one that a person wants to be called at once. */
import { ApiError } from '../base/errors.ts'
import type { ReminderRow } from '../store/tables.ts'
import type { ReminderCallRequest } from './caller.ts'
import { isUnderWay, type ReminderInput } from './job.ts'
import type { ReminderLedger } from './ledger.ts'
import { languageOf, zoneOf, type ReminderSettings } from './settings.ts'
import { firstSlot, leastNoticeMs, nextSlot, type Bookings } from './slots.ts'
import { isOpen, widestWindow } from './window.ts'
import { dayAt } from './zone.ts'

export interface Planner {
  readonly settings: ReminderSettings
  readonly ledger: ReminderLedger
  readonly bookings: Bookings
}

/**
 * When the reminder is called; null where no moment is left. Does not take it. `soon`: its time is past, so that of the moments
 * with a free line the first is right, where a first call is otherwise put among the others of its day.
 */
export function planCall({ settings, ledger, bookings }: Planner, row: ReminderRow, now: number, soon = row.attempts > 0): number | null {
  const { window, leadDays } = settings
  const closed = (day: string): boolean => !ledger.mayCall(row, day)
  const request = { appointmentAt: row.appointmentAt, zone: zoneOf(row, settings), now, leadDays, window, closed }
  return (soon ? nextSlot : firstSlot)(request, bookings)
}

/** Null to call now. `urged`: a person asked for it, so that the hours of the site do not count. */
export function insteadOfCalling(planner: Planner, row: ReminderRow, now: number, urged: boolean): ReminderInput | null {
  const { ledger, settings } = planner
  if (ledger.optedOut(row.number)) return { type: 'opted-out' }
  if (now > row.appointmentAt - leastNoticeMs) return { type: 'give-up', outcome: 'expired', reason: 'too-late' }
  const zone = zoneOf(row, settings)
  const may = ledger.mayCall(row, dayAt(now, zone))
  if (may && isOpen(now, zone, urged ? widestWindow : settings.window)) return null
  const at = planCall(planner, row, now)
  return at === null ? { type: 'give-up', outcome: 'expired', reason: may ? 'too-late' : 'number-limit' } : { type: 'plan', at }
}

/** Throws ApiError: call_live, validation_failed. */
export function checkCallNow({ ledger, settings }: Planner, row: ReminderRow, now: number): void {
  const refuse = (text: string): ApiError => new ApiError('validation_failed', text)
  const zone = zoneOf(row, settings)
  if (isUnderWay(row)) throw new ApiError('call_live', 'This person is already being called.')
  if (!isOpen(now, zone, widestWindow)) throw refuse(`Reminder calls are made between 08:00 and 21:00 only (${zone}).`)
  if (now > row.appointmentAt - leastNoticeMs) throw refuse('No reminder calls are made in the last two hours before the appointment.')
  if (!ledger.mayCall(row, dayAt(now, zone))) throw refuse('This number has reached its limit of calls for today.')
  if (ledger.optedOut(row.number)) throw refuse('This number has opted out of reminder calls.')
}

/** Of a row that is `dialing`. */
export function callRequest(row: ReminderRow, settings: ReminderSettings): ReminderCallRequest {
  return {
    reminderId: row.reminderId,
    callId: row.lastCallId,
    number: row.number,
    language: languageOf(row, settings),
    timeZone: zoneOf(row, settings),
    customerName: row.customerName,
    appointmentAt: row.appointmentAt,
    serviceName: row.serviceName,
    staffName: row.staffName,
    ringSeconds: settings.ringSeconds,
    attempt: row.attempts,
    token: row.token ?? '',
  }
}
