/** Deletes a mail with everything that repeats it. */
import { ApiError } from '../base/errors.ts'
import { forgetRepeats, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import type { Store } from '../store/store.ts'
import type { MailQueue } from './queue.ts'

/** One that waits is not sent any more. Throws ApiError: mail_unknown, being_sent. */
export function eraseMail(store: Store, queue: MailQueue | null): Eraser {
  return async (mailId, record) => {
    if (queue === null) throw new ApiError('mail_unknown', 'There is no mail with that id.')
    const repeats = await repeatsOf(store, mailId, () => false)
    await queue.remove(mailId, () => {
      forgetRepeats(store.tables, mailId, repeats)
      record(mailId)
    })
  }
}
