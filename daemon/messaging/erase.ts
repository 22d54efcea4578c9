/** Deletes a text with everything that repeats it. */
import { forgetRepeats, keysOf, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import type { Store } from '../store/store.ts'
import type { SmsQueue } from './queue.ts'

/** One that waits is not sent any more. Throws ApiError: message_unknown, being_sent. */
export function eraseText(store: Store, queue: Pick<SmsQueue, 'remove'>): Eraser {
  const { smsReferences } = store.tables
  return async (messageId, record) => {
    const references = await keysOf(smsReferences, (row) => row.messageId === messageId)
    const repeats = await repeatsOf(store, messageId, ({ subject }) => subject === messageId)
    await queue.remove(messageId, () => {
      for (const key of references) smsReferences.remove(key)
      forgetRepeats(store.tables, messageId, repeats)
      record(messageId)
    })
  }
}
