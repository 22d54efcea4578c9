/** A mail as the interface shows it. Its text is never shown. */
import { isoTime } from '../base/clock.ts'
import type { MailView } from '../schema/mail.ts'
import type { MailRow } from '../store/tables.ts'

export function mailView(row: MailRow): MailView {
  const { mailId, state, to, subject, bytes, attempts, createdAt, nextAttemptAt, completedAt, reply, error } = row
  return {
    mailId,
    status: state,
    to,
    subject,
    bytes,
    attempts,
    createdAt: isoTime(createdAt),
    nextAttemptAt: isoTime(nextAttemptAt),
    completedAt: isoTime(completedAt),
    reply,
    error,
  }
}

/** The answer to the request that sent it. */
export function mailAnswer(row: MailRow) {
  const { mailId, state, error } = row
  const counts = {
    delivered: state === 'delivered' ? 1 : 0,
    queued: state === 'queued' || state === 'retrying' ? 1 : 0,
    failed: state === 'failed' ? 1 : 0,
  }
  return { recipients: 1, ...counts, mailId, status: state, ...(error === '' ? {} : { error }) }
}
