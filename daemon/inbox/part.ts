/** What was received: faxes, texts and voicemail. */
import { derived } from '../base/derived.ts'
import type { Calls } from '../calls/calls.ts'
import { mailboxNumbers } from '../schema/config.ts'
import type { Ground } from '../core.ts'
import { Collector } from './collect/collector.ts'
import { sourcesOf } from './collect/source.ts'
import { inboxRoutes } from './routes.ts'
import { receivedTextRoutes } from './text-routes.ts'
import { Inbox, type FeedName } from './inbox.ts'
import { type Eraser, forgetCalls } from '../erasure/erasure.ts'
import type { Part } from '../part.ts'
import type { Store } from '../store/store.ts'

// Deletes an item of the inbox, its media and the trace of its call.

/** Forgets what a call that still lives traced of itself. */
type ForgetTrace = (callId: string) => void

/** An item of this feed; of any where it is null. Throws ApiError: not_found, media_expired. */
export function eraseItem(store: Store, inbox: Inbox, forgetTrace: ForgetTrace): (feed: FeedName | null) => Eraser {
  return (feed) => async (id, record) => {
    if (await inbox.through.remove(feed, id, record)) return
    const callId = await inbox.remove(feed, id, (item) => {
      if (item.callId !== undefined) forgetCalls(store.tables, [item.callId])
      record(id)
    })
    if (callId !== undefined) forgetTrace(callId)
  }
}

export interface InboxPart extends Part {
  readonly inbox: Inbox
  readonly eraseVoicemail: Eraser
}

export function inboxPart({ config, store, clock, log }: Ground, { calls }: { readonly calls: Calls }): InboxPart {
  const { dir } = config.storage
  const boxes = derived(config, () => ({
    keepDaysOf: new Map(config.mailboxes.flatMap(({ ext, keepDays }) => (keepDays === undefined ? [] : [[ext, keepDays] as const]))),
    numbers: mailboxNumbers(config),
  }))
  const sources = sourcesOf(config)
  const inbox = new Inbox({
    sources,
    store,
    clock,
    log,
    dir,
    keepDays: config.inbox.days,
    box: config.box,
    get keepDaysOf() {
      return boxes().keepDaysOf
    },
    get mailboxes() {
      return boxes().numbers
    },
  })
  const collector = new Collector({ sources, collected: inbox.collected, clock, log })
  const erase = eraseItem(store, inbox, (callId) => calls.get(callId)?.trace.forget())
  return {
    name: 'inbox',
    inbox,
    eraseVoicemail: erase('voicemails'),
    routes: [...inboxRoutes(inbox, erase), ...receivedTextRoutes(inbox)],
    erasers: { inbox: erase(null) },
    warnings: () => collector.warnings(),
    start: () => collector.start(),
    async stop() {
      await collector.stop()
      await Promise.all(sources.map((source) => source.close()))
    },
    sweeps: [{ what: 'received items', sweep: () => inbox.sweep() }],
  }
}
