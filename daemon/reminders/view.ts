/** A reminder as the interface shows it, and the callback that reports its end. */
import { isoTime } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import type { Callback } from '../outbox/outbox.ts'
import type { ReminderEvent } from '../schema/events.ts'
import type { ReminderView } from '../schema/reminders.ts'
import type { ReminderRow } from '../store/tables.ts'

/** The state; of a finished reminder its outcome. */
export type ReminderStatus = Exclude<ReminderRow['state'], 'over'> | NonNullable<ReminderRow['outcome']>

export function statusOf(row: ReminderRow): ReminderStatus {
  if (row.outcome !== null) return row.outcome
  return row.state === 'over' ? 'failed' : row.state
}

const orNull = (text: string): string | null => (text === '' ? null : text)

export function reminderView(row: ReminderRow): ReminderView {
  return {
    reminderId: row.reminderId,
    externalRef: orNull(row.externalRef),
    status: statusOf(row),
    outcome: row.outcome,
    reason: orNull(row.reason),
    customerName: row.customerName,
    phoneNumber: row.number,
    appointmentAt: isoTime(row.appointmentAt),
    serviceName: row.serviceName,
    staffName: row.staffName,
    language: orNull(row.language),
    timeZone: orNull(row.timeZone),
    sms: row.sms,
    smsSent: row.smsSent,
    attempts: row.attempts,
    nextAttemptAt: isoTime(row.nextAttemptAt),
    lastCallId: orNull(row.lastCallId),
    createdAt: isoTime(row.createdAt),
    answeredAt: isoTime(row.answeredAt),
    completedAt: isoTime(row.completedAt),
  }
}

/** `reminder.<outcome>`: one a reminder, without names and numbers. */
export function reminderCallback(row: ReminderRow): Callback {
  const outcome = row.outcome ?? 'failed'
  const event: ReminderEvent = {
    event: `reminder.${outcome}`,
    eventId: newId(),
    outcome,
    reminderId: row.reminderId,
    externalRef: orNull(row.externalRef),
    attempts: row.attempts,
    lastCallId: orNull(row.lastCallId),
    answeredAt: isoTime(row.answeredAt),
    completedAt: isoTime(row.completedAt),
    smsSent: row.smsSent,
    reason: orNull(row.reason),
  }
  return { event, subject: row.reminderId, url: row.statusCallbackUrl, secret: 'callbacks', schedule: 'standard' }
}
