/** Rows of mails, and which of them are pending. Times are milliseconds since the epoch; null means "not yet". */
import type { MailState } from '../schema/mail.ts'
import { completedAt, type RowIndex } from './row-index.ts'

/** A mail that is sent; its message is a file while it is pending. Key: mailId. */
export interface MailRow {
  mailId: string
  /** Addresses of the envelope, without names. */
  from: string
  to: string
  subject: string
  bytes: number
  state: MailState
  attempts: number
  nextAttemptAt: number | null
  createdAt: number
  expiresAt: number
  completedAt: number | null
  /** The server's last reply; '' for none. */
  reply: string
  /** Why it is not through, for a person; '' when it is. */
  error: string
  /** Whether the account, not this mail, was the reason of the last failure. */
  accountFault: boolean
  /** What it notifies somebody of, such as `fax:<id>`; absent of a mail of a program. */
  about?: string
}

/** Whether it still has something to come. */
export function isMailPending({ state }: Pick<MailRow, 'state'>): boolean {
  return state !== 'delivered' && state !== 'failed'
}

export const mailIndex: RowIndex<MailRow> = { pending: isMailPending, endedAt: completedAt }
