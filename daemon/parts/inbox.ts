/** What was received: faxes, texts and voicemail. */
import { derived } from '../base/derived.ts'
import type { Calls } from '../calls/calls.ts'
import { mailboxNumbers } from '../schema/config/mailboxes.ts'
import type { Core } from '../core.ts'
import { inboxRoutes } from '../inbox/routes.ts'
import { receivedTextRoutes } from '../inbox/text-routes.ts'
import { eraseItem } from '../inbox/erase.ts'
import { Inbox } from '../inbox/inbox.ts'
import type { Eraser } from '../erasure/erasure.ts'
import type { Part } from '../part.ts'
import { notifying, type Notifying, type NotifyingOptions } from './notices.ts'

export interface InboxPart extends Part {
  readonly inbox: Inbox
  readonly eraseVoicemail: Eraser
  /** Sees calls that nobody took. */
  readonly watch: Notifying['watch']
}

export interface InboxPartOptions extends Pick<NotifyingOptions, 'ways'> {
  /** Not before the first item is deleted. */
  readonly calls: () => Calls
}

export function inboxPart(core: Core, { calls, ways }: InboxPartOptions): InboxPart {
  const { config, store, clock, log } = core
  const { arrived, ...people } = notifying(core, { ways, inbox: () => inbox })
  const { dir } = config.storage
  const boxes = derived(config, () => ({
    keepDaysOf: new Map(config.mailboxes.flatMap(({ ext, keepDays }) => (keepDays === undefined ? [] : [[ext, keepDays] as const]))),
    numbers: mailboxNumbers(config),
  }))
  const inbox: Inbox = new Inbox({
    store,
    clock,
    log,
    dir,
    keepDays: config.inbox.days,
    arrived,
    get keepDaysOf() {
      return boxes().keepDaysOf
    },
    get mailboxes() {
      return boxes().numbers
    },
  })
  const erase = eraseItem(store, inbox, (callId) => calls().get(callId)?.trace.forget())
  return {
    name: 'inbox',
    ...people,
    inbox,
    eraseVoicemail: erase('voicemails'),
    routes: [...inboxRoutes(inbox, erase), ...receivedTextRoutes(inbox)],
    erasers: { inbox: erase(null) },
    sweeps: [{ what: 'received items', sweep: () => inbox.sweep() }],
  }
}
