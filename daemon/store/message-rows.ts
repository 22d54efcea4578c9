/** Rows of texts. Times are milliseconds since the epoch; null means "not yet". */
import type { SmsState, TextMediaState } from '../schema/states.ts'
import type { RowIndex } from './row-index.ts'

/** A text that is sent. Key: messageId. */
export interface SmsRow {
  messageId: string
  /** As it was given, and E.164 or a short code. */
  rawTo: string
  to: string
  from: string
  body: string
  encoding: 'GSM-7' | 'UCS-2'
  segments: string[]
  /** 0 to 65535: joins the parts. */
  reference: number
  trunkId: string
  state: SmsState
  /** By part: the network's reference of what it took, '' where it gave none, null before. One entry where the trunk takes whole texts. */
  accepted: (string | null)[]
  /** As `accepted`: what a report said, null before. */
  reports: ('delivered' | 'buffered' | 'failed' | 'expired' | null)[]
  attempts: number
  nextAttemptAt: number | null
  createdAt: number
  expiresAt: number
  /** When the network had taken all of it. */
  sentAt: number | null
  /** When it was delivered, failed or was found to be unknown. */
  completedAt: number | null
  /** For a person; '' while there is none. */
  error: string
  code: string
  /** Reminder or other thing it belongs to; '' for none. */
  subject: string
}

/** By the network's reference: which text and part a report is about. Key: trunk, a hash of the reference, time, text and part. */
export interface SmsReferenceRow {
  messageId: string
  part: number
  /** The recipient: a modem's references start again after 256 texts. */
  to: string
  at: number
}

/** A part of a text from outside that waits for the others. Key: trunk, sender, reference, total, index. */
export interface SmsPartRow {
  trunkId: string
  from: string
  to: string
  reference: number
  total: number
  index: number
  body: string
  encoding: 'GSM-7' | 'UCS-2'
  sentAt: number | null
  at: number
  /** What came, of whatever alphabet (drivers/sms-content.ts), in Base64; absent where the driver gives the words alone. */
  alphabet?: string
  bytes?: string
}

/** A picture or another file of a text from outside. Key: its id. */
export interface TextMediaRow {
  id: string
  /** The item of the inbox. */
  itemId: string
  trunkId: string
  /** Where the provider has it; '' once it has ended. */
  url: string
  /** As the provider calls it, and once it is stored as its server does. */
  contentType: string
  state: TextMediaState
  /** Why it was not fetched, so far; '' otherwise. */
  reason: string
  bytes: number
  attempts: number
  nextAt: number
  receivedAt: number
}

export const textMediaIndex: RowIndex<TextMediaRow> = {
  pending: ({ state }) => state === 'fetching',
  endedAt: ({ receivedAt }) => receivedAt,
}

/** What was received lately: the same text again is not. Key: its kind and a hash. */
export interface SmsSeenRow {
  at: number
}

/** A number that asked not to be texted. Key: the number. */
export interface SmsSuppressedRow {
  number: string
  since: number
  /** What it wrote, or `command` for a person at the box. */
  by: string
}

/** Whether it still has something to come, but for a report. */
export function isSmsPending({ state }: Pick<SmsRow, 'state'>): boolean {
  return state === 'queued' || state === 'sending' || state === 'retrying'
}

/** A report may come after the end. */
export const smsIndex: RowIndex<SmsRow> = { pending: isSmsPending, endedAt: ({ createdAt }) => createdAt }
