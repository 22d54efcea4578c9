/** What the technician's socket sees of the inbox. */
import { isoTime } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { FaxMissedRow } from '../store/tables.ts'
import type { Feed } from './feed.ts'
import type { FeedName, Inbox } from './inbox.ts'
import { faxItem, smsItem, voicemailItem } from './view.ts'

export interface FeedSummary {
  readonly feed: FeedName
  readonly items: number
  /** What a poller that has everything would pass as `since`. */
  readonly head: number
  /** Fax calls that brought no page. */
  readonly missed?: number
}

/** A fax call that brought no page. */
export interface MissedFax {
  readonly callId: string
  readonly from: string
  readonly to: string
  readonly at: string | null
  readonly durationSeconds: number
  readonly text: string
}

export interface InboxControl {
  summary(): readonly FeedSummary[]
  /** As `GET /api/inbox/<feed>`; without `since`, the newest. Throws ApiError `cursor_from_the_future`. */
  page(
    feed: FeedName,
    options: { since?: number; limit: number },
  ): Promise<{ items: readonly object[]; nextSince: number; missed?: readonly MissedFax[] }>
  /** Where the document or the recording of an item is on this machine. Throws ApiError `not_found`, `media_expired`. */
  media(id: string): { file: string; name: string }
}

const missedView = ({ callId, from, to, at, durationSeconds, text }: FaxMissedRow): MissedFax => ({
  callId,
  from,
  to,
  at: isoTime(at),
  durationSeconds,
  text,
})

export function inboxControl(inbox: Inbox): InboxControl {
  const feeds = { faxes: [inbox.faxes, faxItem], sms: [inbox.sms, smsItem], voicemails: [inbox.voicemails, voicemailItem] } as const
  const names = ['faxes', 'sms', 'voicemails'] as const
  return {
    summary: () =>
      names.map((feed) => ({ feed, ...feeds[feed][0].summary(), ...(feed === 'faxes' ? { missed: inbox.missed.count() } : {}) })),
    async page(feed, { since, limit }) {
      const [of, view] = feeds[feed] as readonly [Feed<unknown>, (item: unknown) => object]
      // What a poller has seen already of the calls without a page, nobody knows: they are told without a cursor only.
      const missed = feed === 'faxes' ? { missed: inbox.missed.newest(limit).map(missedView) } : {}
      if (since === undefined) return { items: of.newest(limit).map(view), nextSince: of.summary().head, ...missed }
      const page = await of.page(since, limit)
      return { items: page.items.map(({ item }) => view(item)), nextSince: page.nextSince }
    },
    media(id) {
      for (const feed of names) {
        const found = inbox.media(feed, id)
        if (found === 'purged') throw new ApiError('media_expired', 'This item is no longer kept.')
        if (found !== undefined) return { file: found.file, name: `${feed}-${id}${found.file.slice(found.file.lastIndexOf('.'))}` }
      }
      throw new ApiError('not_found', `There is no fax and no voicemail ${id} in the inbox.`)
    },
  }
}
