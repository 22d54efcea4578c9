/** Texts as the interface shows them. */
import { isoTime } from '../base/clock.ts'
import type { SmsAnswer, SmsSummary, SmsView, SuppressedView } from '../schema/sms.ts'
import type { SmsRow } from '../store/tables.ts'

export const optedOut = { code: 'opted_out', error: 'The recipient has opted out of texts.' } as const

/** One recipient: a text of the queue, or why there is none. */
export type TextResult =
  { readonly row: SmsRow; readonly warning?: string } | { readonly to: string; readonly code: string; readonly error: string }

/** Answer of `POST /api/sms`. */
export function textAnswer(results: readonly TextResult[]): SmsAnswer {
  const messages = results.map(messageOf)
  const count = (status: SmsAnswer['messages'][number]['status']): number => messages.filter((message) => message.status === status).length
  const unknown = count('unknown')
  return {
    sent: count('accepted'),
    recipients: messages.length,
    queued: count('queued'),
    failed: count('failed'),
    ...(unknown === 0 ? {} : { unknown }),
    messages,
  }
}

function messageOf(result: TextResult): SmsAnswer['messages'][number] {
  if (!('row' in result)) return { to: result.to, status: 'failed', error: result.error, code: result.code }
  const { messageId, to, state, segments, encoding, error, code } = result.row
  const { warning = '' } = result
  const common = { messageId, to, segments: segments.length, encoding, ...(warning === '' ? {} : { warning }) }
  switch (state) {
    case 'sent':
    case 'delivered':
      return { ...common, status: 'accepted' }
    case 'failed':
    case 'unknown':
      return { ...common, status: state, error, code }
    default:
      return { ...common, status: 'queued' }
  }
}

export function textSummary(row: SmsRow): SmsSummary {
  return {
    messageId: row.messageId,
    status: row.state,
    to: row.to,
    from: row.from,
    segments: row.segments.length,
    encoding: row.encoding,
    trunkId: row.trunkId,
    attempts: row.attempts,
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
    nextAttemptAt: isoTime(row.nextAttemptAt),
    sentAt: isoTime(row.sentAt),
    completedAt: isoTime(row.completedAt),
    error: row.error,
    code: row.code,
    subject: row.subject,
  }
}

export function textView(row: SmsRow): SmsView {
  const parts = row.accepted.map((reference, part) => ({ accepted: reference !== null, report: row.reports[part] ?? null }))
  return { ...textSummary(row), body: row.body, parts }
}

export function suppressedView({ number, since, by }: { number: string; since: number; by: string }): SuppressedView {
  return { number, since: isoTime(since), by }
}
