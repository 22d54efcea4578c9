/** Rows of reminders. Times are milliseconds since the epoch; null means "not yet". */
import type { ReminderOutcome, reminderStates } from '../schema/states.ts'
import { completedAt, type RowIndex } from './row-index.ts'

export type ReminderState = (typeof reminderStates)[number] | 'over'

/** Key: reminderId. */
export interface ReminderRow {
  reminderId: string
  externalRef: string
  /** Name of the access token by which it came. */
  token?: string
  customerName: string
  rawNumber: string
  /** E.164. */
  number: string
  appointmentAt: number
  serviceName: string
  staffName: string
  statusCallbackUrl: string
  /** BCP 47; '' for that of the site. */
  language: string
  /** IANA name; '' for that of the site. */
  timeZone: string
  sms: boolean
  state: ReminderState
  outcome: ReminderOutcome | null
  reason: string
  /** Next call; null when none is planned. */
  nextAttemptAt: number | null
  attempts: number
  /** Busy answers among them, which have a ladder of their own. */
  busy: number
  lastCallId: string
  /** The key that was recorded in the call under way; '' for none. What is recorded here is the outcome after a crash. */
  recorded: string
  createdAt: number
  dialedAt: number | null
  answeredAt: number | null
  completedAt: number | null
  smsSent: boolean
}

/** Idempotency: which reminder a request is about. Key: hash of the fields that make it the same. */
export interface ReminderKeyRow {
  reminderId: string
}

/** A call to a number on a day, for the limits on calls to one person. Key: number and local day. */
export interface ReminderContactRow {
  tries: number
  contacts: number
  lastAt: number
}

/** A number that asked not to be called with reminders. Key: the number. */
export interface ReminderOptOutRow {
  number: string
  since: number
}

/** Whether it still has something to come. */
export function isReminderPending({ state }: Pick<ReminderRow, 'state'>): boolean {
  return state !== 'over'
}

export const reminderIndex: RowIndex<ReminderRow> = { pending: isReminderPending, endedAt: completedAt }
