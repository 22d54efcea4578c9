/** Deletes an item of the inbox, its media and the trace of its call. */
import { forgetCalls, type Eraser } from '../erasure/erasure.ts'
import type { Store } from '../store/store.ts'
import type { FeedName, Inbox } from './inbox.ts'

/** Forgets what a call that still lives traced of itself. */
export type ForgetTrace = (callId: string) => void

/** An item of this feed; of any where it is null. Throws ApiError: not_found, media_expired. */
export function eraseItem(store: Store, inbox: Inbox, forgetTrace: ForgetTrace): (feed: FeedName | null) => Eraser {
  return (feed) => async (id, record) => {
    const callId = await inbox.remove(feed, id, (item) => {
      if (item.callId !== undefined) forgetCalls(store.tables, [item.callId])
      record(id)
    })
    if (callId !== undefined) forgetTrace(callId)
  }
}
