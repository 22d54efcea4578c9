/** Who is notified of what arrived: voicemail, faxes, texts, and calls that nobody took. */
import type { NoticeWays } from '../base/notice-ways.ts'
import type { Ground } from '../core.ts'
import type { CallRecords } from '../history/records.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Part } from '../part.ts'
import { MissedCalls } from './missed.ts'
import { Notices } from './notices.ts'
import { subjectsOf } from './subjects.ts'

export interface NoticesPartOptions {
  readonly inbox: Inbox
  readonly records: CallRecords
  readonly notices: Pick<NoticeWays, 'find'>
}

const kinds = { voicemails: 'voicemail', faxes: 'fax', sms: 'text' } as const

export function noticesPart({ config, store, clock, log }: Ground, { inbox, records, notices: ways }: NoticesPartOptions): Part {
  const notices = new Notices({ store, clock, log, ways, subjects: subjectsOf({ config, inbox }) })
  inbox.onArrival((feed, item) => notices.note(item.id, { kind: kinds[feed], place: 'ext' in item ? String(item.ext) : item.to }))
  records.watch(new MissedCalls({ config, store, notices }))
  return {
    name: 'notices',
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
