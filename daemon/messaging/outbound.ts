/** A text as its trunk is given it, and the pause before the trunk is asked for it again. */
import type { OutboundText } from '../../drivers/sms.ts'
import type { Clock } from '../base/clock.ts'
import type { SmsRow } from '../store/tables.ts'

const leastValiditySeconds = 60

export function outbound(row: SmsRow, now: number): OutboundText {
  const { messageId, to, from, body, encoding, segments, reference, accepted, expiresAt } = row
  const validitySeconds = Math.max(leastValiditySeconds, Math.round((expiresAt - now) / 1000))
  return { messageId, to, from, body, encoding, segments, reference, accepted, validitySeconds }
}

/** Ends early when `signal` is aborted. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>()
  const end = (): void => over.resolve()
  const timer = clock.after(ms, end)
  signal.addEventListener('abort', end, { once: true })
  await over.promise
  timer.cancel()
  signal.removeEventListener('abort', end)
}
