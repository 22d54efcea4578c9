/** What was received: faxes, texts and voicemail. */
import { derived } from '../base/derived.ts'
import type { Calls } from '../calls/calls.ts'
import { mailboxNumbers } from '../schema/config/mailboxes.ts'
import type { Ground } from '../core.ts'
import { inboxRoutes } from './routes.ts'
import { receivedTextRoutes } from './text-routes.ts'
import { eraseItem } from './erase.ts'
import { Inbox } from './inbox.ts'
import type { Eraser } from '../erasure/erasure.ts'
import type { Part } from '../part.ts'

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
  const inbox = new Inbox({
    store,
    clock,
    log,
    dir,
    keepDays: config.inbox.days,
    get keepDaysOf() {
      return boxes().keepDaysOf
    },
    get mailboxes() {
      return boxes().numbers
    },
  })
  const erase = eraseItem(store, inbox, (callId) => calls.get(callId)?.trace.forget())
  return {
    name: 'inbox',
    inbox,
    eraseVoicemail: erase('voicemails'),
    routes: [...inboxRoutes(inbox, erase), ...receivedTextRoutes(inbox)],
    erasers: { inbox: erase(null) },
    sweeps: [{ what: 'received items', sweep: () => inbox.sweep() }],
  }
}
