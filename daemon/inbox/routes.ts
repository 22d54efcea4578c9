/** What was received, polled with a cursor the client holds, and the media of the items. */
import { Type, type TSchema } from '@sinclair/typebox'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../base/errors.ts'
import type { Feed } from './feed.ts'
import type { FeedName, Inbox } from './inbox.ts'
import { faxItem, smsItem, voicemailItem } from './view.ts'
import { isoTime } from '../base/clock.ts'
import { boxIdPattern } from '../schema/config/box.ts'
import { type MissedFaxView } from '../schema/fax.ts'
import {
  inboxFeeds,
  InboxFaxSchema,
  InboxMediaSchema,
  InboxNewestSchema,
  InboxSmsSchema,
  InboxSummarySchema,
  InboxVoicemailSchema,
  NextSinceSchema,
} from '../schema/inbox.ts'
import type { FaxMissedRow, InboxFaxRow, InboxItem, InboxVoicemailRow } from '../store/tables.ts'
import { mediaExample, smsExample, textView } from './text-routes.ts'
import { hearsMailbox } from '../http/mask.ts'
import { mustBeUnrestricted, mustHear } from '../http/reach.ts'
import { defineRoute, type Principal, type Reply, type Route, type RouteContext } from '../http/route.ts'

const tag = 'Inbox'
const mostItems = 500
/** Of the desk: voicemail of its own mailboxes alone. */
const people = ['desk', 'manager'] as const
const description =
  'Items newer than the cursor, oldest first. Keep nextSince and pass it as since: nothing is left out and nothing comes twice. ' +
  'Each path, and each ext of voicemails, has a cursor of its own. Nothing is marked read.'

const Paging = {
  since: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'nextSince of the last poll; 0 at first.' }),
  limit: Type.Integer({ minimum: 1, default: 50, description: 'More than 500 is taken as 500.' }),
  box: Type.Optional(
    Type.String({
      pattern: boxIdPattern,
      description: 'Of several boxes the one that is meant; each has cursors of its own. See docs/scale.md.',
    }),
  ),
}

const answer = (item: TSchema, example: unknown) => ({
  200: {
    description: 'Items.',
    schema: Type.Object({ items: Type.Array(item), nextSince: NextSinceSchema }),
    example: { items: [example], nextSince: 1772460391000 },
  },
})

const id = '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8'
const common = { id, from: '+15551230001', to: '+15550001999', receivedAt: '2026-03-02T14:06:31.000Z' }
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

export function inboxRoutes(inbox: Inbox, erase: (feed: FeedName) => Eraser): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/inbox/faxes',
      access: 'inbox',
      people,
      operationId: 'listReceivedFaxes',
      deed: 'inbox.page',
      polled: true,
      summary: 'Received faxes',
      description,
      tag,
      query: Type.Object(Paging),
      responses: answer(InboxFaxSchema, faxItem({ ...faxExample })),
      handle: async (context) => {
        mustBeUnrestricted(context.token, 'received faxes')
        const { since, limit, box } = context.query
        inbox.mustBePolled(box)
        return listed(context, inbox, { feed: 'faxes', own: inbox.faxes, since, limit, alone: box !== undefined, view: faxItem })
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/inbox/sms',
      access: 'inbox',
      people,
      operationId: 'listReceivedSms',
      deed: 'inbox.page',
      polled: true,
      summary: 'Received text messages',
      description,
      tag,
      query: Type.Object(Paging),
      responses: answer(InboxSmsSchema, smsItem({ ...smsExample }, [mediaExample])),
      handle: async (context) => {
        mustBeUnrestricted(context.token, 'received texts')
        const { since, limit, box } = context.query
        inbox.mustBePolled(box)
        return listed(context, inbox, { feed: 'sms', own: inbox.sms, since, limit, alone: box !== undefined, view: textView(inbox) })
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/inbox/voicemails',
      access: 'inbox',
      people,
      operationId: 'listVoicemails',
      deed: 'inbox.page',
      polled: true,
      summary: 'Voicemail with its transcript',
      description,
      tag,
      query: Type.Object({ ...Paging, ext: Type.Optional(Type.String({ description: 'Mailbox; all of them where it is left out.' })) }),
      responses: answer(InboxVoicemailSchema, voicemailItem({ ...voicemailExample })),
      handle: async (context) => {
        const { ext, since, limit, box } = context.query
        inbox.mustBePolled(box)
        const { token } = context
        if (ext !== undefined) {
          // One that this box does not have may be of a box whose items it collects.
          if (!inbox.hasMailbox(ext) && !inbox.collects) throw new ApiError('mailbox_unknown', `There is no mailbox ${ext}.`)
          mustHear(token, ext)
        }
        const fits = (of: unknown): boolean => (ext === undefined ? hearsMailbox(token, String(of)) : of === ext)
        const alone = box !== undefined
        return listed(context, inbox, { feed: 'voicemails', own: inbox.voicemails, since, limit, alone, view: voicemailItem, fits })
      },
    }),
    mediaRoute(inbox, 'faxes', 'pdf', 'application/pdf', 'getReceivedFax', 'The PDF of a received fax'),
    mediaRoute(inbox, 'voicemails', 'wav', 'audio/wav', 'getVoicemail', 'The audio of a voicemail'),
    deleteRoute(inbox, erase, 'faxes', 'deleteReceivedFax', 'Delete a received fax, its document and the trace of its call'),
    deleteRoute(inbox, erase, 'sms', 'deleteReceivedSms', 'Delete a received text'),
    deleteRoute(inbox, erase, 'voicemails', 'deleteVoicemail', 'Delete a voicemail, its audio, its transcript and the trace of its call'),
    ...technicianRoutes(inbox),
  ]
}

function technicianRoutes(inbox: Inbox): Route[] {
  const access = 'technician'
  const isFeed = (name: string): name is FeedName => (inboxFeeds as readonly string[]).includes(name)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/inbox',
      access,
      people: ['desk', 'manager', 'technician'],
      operationId: 'getInbox',
      summary: 'How much was received',
      tag,
      responses: { 200: { description: 'The feeds.', schema: InboxSummarySchema } },
      handle: () => ({
        status: 200,
        body: inboxFeeds.map((feed) => ({
          feed,
          ...inbox[feed].summary(),
          ...(feed === 'faxes' ? { missed: inbox.missed.count() } : {}),
        })),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/inbox/newest/:feed',
      access,
      people,
      operationId: 'getNewest',
      deed: 'inbox.page',
      polled: true,
      summary: 'The newest items of a feed; of faxes also the calls that brought no page',
      tag,
      params: Type.Object({ feed: Type.String() }),
      query: Type.Object({
        limit: Type.Integer({ minimum: 1, maximum: mostItems, default: 20 }),
        before: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'nextBefore of the newer page.' })),
      }),
      responses: { 200: { description: 'Items.', schema: InboxNewestSchema } },
      handle: ({ params: { feed }, query: { limit, before }, token, deed }) => {
        if (!isFeed(feed)) throw new ApiError('not_found', `The inbox has ${inboxFeeds.join(', ')}.`)
        const [of, view] = {
          faxes: [inbox.faxes, faxItem],
          sms: [inbox.sms, textView(inbox)],
          voicemails: [inbox.voicemails, voicemailItem],
        }[feed] as unknown as [Feed<InboxItem>, (item: InboxItem) => object]
        const fits = (item: InboxItem): boolean => feed !== 'voicemails' || hearsMailbox(token, (item as InboxVoicemailRow).ext)
        const { items, nextBefore } = of.newest(limit, { before, fits })
        deed.about([feed, ...items.map(({ id: item }) => item)].join(' '), items.length)
        // Calls without a page have no place in the feed, so which of them a poller has seen is unknown: they are listed without a cursor
        // only.
        const missed = feed === 'faxes' ? { missed: inbox.missed.newest(limit).map(missedView) } : {}
        return { status: 200, body: { items: items.map(view), nextSince: of.summary().head, nextBefore, ...missed } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/inbox/media/:id',
      access,
      operationId: 'findMedia',
      deed: 'inbox.media',
      summary: 'Where the document or the recording of an item, or a picture, is on this machine',
      tag,
      params: Type.Object({ id: Type.String() }),
      responses: { 200: { description: 'The file.', schema: InboxMediaSchema } },
      handle: ({ params }) => {
        for (const feed of inboxFeeds) {
          const found = inbox.media(feed, params.id)
          if (found === 'purged') throw new ApiError('media_expired', 'This item has been deleted.')
          if (found === undefined) continue
          const name = `${feed}-${params.id}${found.file.slice(found.file.lastIndexOf('.'))}`
          return { status: 200, body: { file: found.file, name } }
        }
        throw new ApiError('not_found', `There is no fax and no voicemail ${params.id} in the inbox.`)
      },
    }),
  ]
}

function missedView({ callId, from, to, at, durationSeconds, text }: FaxMissedRow): MissedFaxView {
  return { callId, from, to, at: isoTime(at), durationSeconds, text }
}

function mediaRoute(inbox: Inbox, feed: FeedName, ending: string, type: string, operationId: string, summary: string): Route {
  return defineRoute({
    method: 'GET',
    path: `/api/inbox/${feed}/:id.${ending}`,
    access: 'inbox',
    people,
    operationId,
    deed: 'inbox.media',
    summary,
    tag,
    params: Type.Object({ id: Type.String() }),
    responses: { 200: { description: 'The file; Range is honoured.', contentType: type } },
    handle: async ({ params, token }): Promise<Reply> => {
      mustReach(inbox, feed, params.id, token)
      const headers = { 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' }
      const far = await inbox.through.file(feed, params.id, `/api/inbox/${feed}/${params.id}.${ending}`)
      if (far !== null) return { ...far, headers, file: { ...far.file, type } }
      const found = inbox.media(feed, params.id)
      if (found === undefined) throw inbox.unknown(params.id)
      if (found === 'purged') throw new ApiError('media_expired', 'This item has been deleted.')
      return {
        status: 200,
        headers,
        file: { path: found.file, type, etag: found.sha256 },
      }
    },
  })
}

function deleteRoute(inbox: Inbox, erase: (feed: FeedName) => Eraser, feed: FeedName, operationId: string, summary: string): Route {
  return defineRoute({
    method: 'DELETE',
    path: `/api/inbox/${feed}/:id`,
    access: 'inbox',
    people: ['manager'],
    operationId,
    deed: 'inbox.delete',
    summary,
    description: 'Cursors stay valid: no other item is left out or comes twice. From then on the item is answered with 410.',
    tag,
    params: Type.Object({ id: Type.String() }),
    responses: { 204: { description: 'Deleted.' } },
    handle: async ({ params, deed, token }): Promise<Reply> => {
      mustReach(inbox, feed, params.id, token)
      await erase(feed)(params.id, (id) => deed.record(id))
      return { status: 204 }
    },
  })
}

function mustReach(inbox: Inbox, feed: FeedName, id: string, token: Principal | null): void {
  if (feed !== 'voicemails') mustBeUnrestricted(token, feed === 'sms' ? 'received texts' : 'received faxes')
  else if (token?.reach != null && !hearsMailbox(token, inbox.mailboxOf(id) ?? '')) throw inbox.unknown(id)
  else if (token?.person !== undefined) {
    const ext = inbox.mailboxOf(id)
    if (ext !== undefined) mustHear(token, ext)
  }
}

interface Asked<T extends InboxItem> {
  readonly feed: FeedName
  readonly own: Feed<T>
  readonly since: number
  readonly limit: number
  /** Without the items of other boxes. */
  readonly alone: boolean
  readonly view: (item: T) => { readonly id: string }
  /** By the mailbox, where the feed has some. */
  readonly fits?: (ext: unknown) => boolean
}

/** Own items and, where the poll names no box, those of other boxes, in one order. */
async function listed<T extends InboxItem>({ deed }: Pick<RouteContext, 'deed'>, inbox: Inbox, asked: Asked<T>): Promise<Reply> {
  const { feed, own, since, view, fits = () => true } = asked
  const limit = Math.min(asked.limit, mostItems)
  const ofMailbox = (item: object): boolean => fits((item as { readonly ext?: unknown }).ext)
  const { items: rows, nextSince: last } = await own.page(since, limit, ofMailbox)
  const page = { items: rows.map(({ seq, item }) => ({ seq, view: view(item) })), nextSince: last }
  const { items, nextSince } = asked.alone ? page : await inbox.collected.page(feed, page, { since, limit, fits: ofMailbox })
  deed.about([feed, ...items.map(({ view: { id: item } }) => item)].join(' '), items.length)
  return { status: 200, body: { items: items.map((item) => item.view), nextSince } }
}

const stored = { ...common, receivedAt: Date.parse(common.receivedAt), sha256, bytes: 48_213, callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8' }
const faxExample: InboxFaxRow = {
  ...stored,
  pages: 3,
  status: 'complete',
  callerName: '',
  trunkId: 'main',
  remoteStationId: '+1 555 123 0001',
  durationSeconds: 74,
  bitRate: 14_400,
  ecm: true,
  resolution: 'fine',
  transport: 't38',
  badRows: 0,
  t30Code: 0,
}
const voicemailExample: InboxVoicemailRow = {
  ...stored,
  ext: '101',
  callerName: '',
  durationSeconds: 21,
  transcript: 'Please call me back.',
  transcriptStatus: 'done',
}
