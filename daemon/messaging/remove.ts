/** One text is deleted: from the disk, and from those that wait. */
import { ApiError } from '../base/errors.ts'
import type { Store } from '../store/store.ts'
import { tell, type Job } from './job-list.ts'

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
