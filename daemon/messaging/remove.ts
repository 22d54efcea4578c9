/** One text is deleted: from the disk, and from those that wait. */
import { ApiError } from '../base/errors.ts'
import type { Store } from '../store/store.ts'
import { tell, type Job } from './job-list.ts'
import type { OutboundText } from '../../drivers/sms.ts'
import type { Clock } from '../base/clock.ts'
import type { SmsRow } from '../store/tables.ts'

/** A text as its trunk is given it, and the pause before the trunk is asked for it again. */
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

/** `job`: of a text that has not ended. Throws ApiError: message_unknown, being_sent. */
export async function removeText(store: Store, messageId: string, job: Job | undefined, alongside: () => void): Promise<void> {
  const before = job?.row
  if (before !== undefined && before.state !== 'queued' && before.state !== 'retrying') {
    throw new ApiError('being_sent', 'This text is being sent at this moment; try again in a minute.')
  }
  if (store.tables.sms.get(messageId) === undefined) throw new ApiError('message_unknown', 'There is no text with that id.')
  // The trunk that is to send it next leaves what has ended where it is.
  if (job !== undefined) job.row = { ...job.row, state: 'failed' }
  try {
    await store.transaction(() => {
      store.tables.sms.remove(messageId)
      alongside()
    })
  } catch (error) {
    if (job !== undefined && before !== undefined) job.row = before
    throw error
  }
  if (job === undefined) return
  job.timer?.cancel()
  tell(job)
}
