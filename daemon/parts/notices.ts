/** Who is notified of what arrived: voicemail, faxes, texts, and calls that nobody took. */
import type { Core } from '../core.ts'
import type { FeedName, Inbox } from '../inbox/inbox.ts'
import { MissedCalls } from '../notices/missed.ts'
import { Notices, type NoticesOptions } from '../notices/notices.ts'
import { subjectsOf } from '../notices/subjects.ts'
import type { Part } from '../part.ts'
import type { InboxItem } from '../store/tables.ts'

export interface NotifyingOptions {
  /** Not before the first item. */
  readonly inbox: () => Inbox
  readonly ways: NoticesOptions['ways']
}

export interface Notifying extends Pick<Part, 'warnings' | 'queues' | 'start' | 'stop'> {
  /** Sees calls that nobody took. */
  readonly watch: MissedCalls
  /** Inside the transaction in which an item arrives. */
  readonly arrived: (feed: FeedName, item: InboxItem) => void
}

const kinds = { voicemails: 'voicemail', faxes: 'fax', sms: 'text' } as const

/** Belongs to the part of the inbox. */
export function notifying(core: Core, { inbox, ways }: NotifyingOptions): Notifying {
  const notices = new Notices({ ...core, ways, subjects: subjectsOf({ ...core, inbox }) })
  return {
    watch: new MissedCalls({ ...core, notices }),
    arrived: (feed, item) => notices.note(item.id, { kind: kinds[feed], place: 'ext' in item ? String(item.ext) : item.to }),
    *warnings() {
      const lost = notices.lost()
      if (lost === null) return
      const what = { voicemail: 'a message', fax: 'a fax', text: 'a text', missed: 'a missed call' }[lost.kind]
      yield {
        code: 'notice-lost',
        severity: 'error',
        text: `A notice of ${what} could not be sent: ${lost.text}`,
        fix: 'pbx mail list, pbx sms list',
      }
    },
    queues() {
      const { count, oldestAt } = notices.waiting()
      return [{ name: 'notices', title: 'notices of what arrived', waiting: count, oldestAt }]
    },
    start: () => notices.start(),
    stop: () => notices.stop(),
  }
}
