/** A real store that holds one feed alone, so that it opens fast, and the feed itself. */
import type { Clock } from '../../../daemon/base/clock.ts'
import { Feed } from '../../../daemon/inbox/feed.ts'
import type { Log } from '../../../daemon/base/log.ts'
import { openStore, type Store } from '../../../daemon/store/store.ts'
import { tableSpecs } from '../../../daemon/store/tables.ts'

export interface CursorItem {
  readonly id: string
}

export function openCursorStore(dir: string, log: Log): Promise<Store> {
  const { inboxSms, meta } = tableSpecs
  return openStore(dir, log, { specs: { inboxSms, meta } })
}

export function cursorFeed(store: Store, clock: Clock): Feed<CursorItem> {
  const { inboxSms, meta } = store.tables
  return new Feed('sms', { items: inboxSms as never, meta, transaction: (work) => store.transaction(work) }, clock)
}
