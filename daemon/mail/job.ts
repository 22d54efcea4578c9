/** What becomes of a mail: pure, from one attempt to the next. */
import { isMailPending } from '../store/mail-rows.ts'
import type { MailRow } from '../store/tables.ts'

export type MailResult =
  | { readonly kind: 'delivered'; readonly reply: string }
  /** Final for this mail: the server answered 5xx to it. */
  | { readonly kind: 'refused'; readonly text: string; readonly reply: string }
  /** `account`: nothing is wrong with this mail, the server cannot be used. */
  | { readonly kind: 'temporary'; readonly text: string; readonly reply: string; readonly account: boolean }

const minuteMs = 60_000
/** Greylisting ends after some minutes (RFC 6647 5): the first steps are short. */
const mailLadder = [1, 5, 15, 30, 60].map((minutes) => minutes * minuteMs)
const accountLadder = [0.5, 1, 2, 5, 10, 15].map((minutes) => minutes * minuteMs)

export const longestPauseMs = 66 * minuteMs

/** The codes at the start of a server's reply (RFC 5321 4.2, RFC 2034), such as `550 5.1.1`; '' for none. */
export function replyCode(reply: string): string {
  return /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?(?!\d)/.exec(reply)?.[0] ?? ''
}

export function isTerminal(row: MailRow): boolean {
  return !isMailPending(row)
}

/** `spread`: -1 to 1, by which the next attempt is moved a tenth. */
export function afterAttempt(row: MailRow, result: MailResult, now: number, spread: number): MailRow {
  const attempts = row.attempts + 1
  const over = { attempts, nextAttemptAt: null, completedAt: now, reply: result.reply, accountFault: false }
  switch (result.kind) {
    case 'delivered':
      return { ...row, ...over, state: 'delivered', error: '' }
    case 'refused':
      return { ...row, ...over, state: 'failed', error: result.text }
    case 'temporary': {
      const ladder = result.account ? accountLadder : mailLadder
      const step = ladder[Math.min(row.attempts, ladder.length - 1)] as number
      const nextAttemptAt = Math.round(now + step * (1 + spread / 10))
      if (nextAttemptAt >= row.expiresAt) return { ...row, ...over, state: 'failed', error: `Given up: ${result.text}` }
      const waits = { state: 'retrying', nextAttemptAt, error: result.text, accountFault: result.account } as const
      return { ...row, attempts, reply: result.reply, ...waits }
    }
  }
}
