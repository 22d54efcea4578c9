/** One received text as it is now, and the pictures and other files that came with it: as downloads, which no browser shows by itself. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { idPattern } from '../base/ids.ts'
import type { Inbox } from './inbox.ts'
import { endingOf, servedType } from './text-media.ts'
import { smsItem } from './view.ts'
import { InboxSmsSchema } from '../schema/inbox.ts'
import type { InboxSmsRow, TextMediaRow } from '../store/tables.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Reply, type Route } from '../http/route.ts'

const tag = 'Inbox'
const retrySeconds = 5

export const textView =
  (inbox: Inbox) =>
  (row: InboxSmsRow): ReturnType<typeof smsItem> =>
    smsItem(row, inbox.textMedia.of(row))

export function receivedTextRoutes(inbox: Inbox): Route[] {
  const params = Type.Object({ id: Type.String() })
  return [
    defineRoute({
      method: 'GET',
      path: '/api/inbox/sms/:id',
      access: 'inbox',
      people: ['desk', 'manager'],
      operationId: 'getReceivedSms',
      deed: 'inbox.page',
      polled: true,
      summary: 'One received text, as it is now',
      description: 'For a text whose files were still being fetched when the feed had it.',
      tag,
      params,
      responses: { 200: { description: 'The text.', schema: InboxSmsSchema, example: smsItem(smsExample, [mediaExample]) } },
      handle: async ({ params: { id }, token, deed }) => {
        mustBeUnrestricted(token, 'received texts')
        const found = idPattern.test(id) ? inbox.sms.find((item) => item.id === id) : undefined
        const body = found === undefined ? await inbox.through.text(id) : textView(inbox)(found.item)
        if (body === null) throw gone(inbox, id)
        deed.about(`sms ${id}`)
        return { status: 200, body }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/inbox/sms/media/:id',
      access: 'inbox',
      people: ['desk', 'manager'],
      operationId: 'getReceivedMedia',
      deed: 'inbox.media',
      summary: 'A picture or another file of a received text',
      description:
        'A patient has made it: it is given as a download, and a program that shows it must treat it as foreign. 409 media_fetching while it is being fetched, 404 media_failed where it could not be.',
      tag,
      params,
      responses: { 200: { description: 'The file; Range is honoured.', contentType: '*/*' } },
      handle: async ({ params: { id }, token }): Promise<Reply> => {
        mustBeUnrestricted(token, 'received texts')
        const far = await inbox.through.file('sms', id, `/api/inbox/sms/media/${id}`)
        if (far !== null) return { ...far, headers: headersOf(id, far.file.type), file: { ...far.file, type: servedType(far.file.type) } }
        const found = inbox.media('sms', id)
        const media = inbox.textMedia.get(id)
        if (found === undefined || found === 'purged' || media === undefined) throw media === undefined ? gone(inbox, id) : notStored(media)
        const headers = headersOf(id, media.contentType)
        return { status: 200, headers, file: { path: found.file, type: servedType(media.contentType), etag: found.sha256 } }
      },
    }),
  ]
}

function headersOf(id: string, contentType: string): Record<string, string> {
  return {
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Disposition': `attachment; filename="text-${id}.${endingOf(contentType)}"`,
  }
}

function notStored({ state, reason }: TextMediaRow): ApiError {
  if (state === 'failed') return new ApiError('media_failed', `This file could not be fetched: ${reason}.`)
  const so = reason === '' ? '' : ` The last attempt: ${reason}.`
  return new ApiError('media_fetching', `This file is still being fetched.${so}`, { retryAfterSeconds: retrySeconds })
}

function gone(inbox: Inbox, id: string): ApiError {
  if (inbox.media('sms', id) === 'purged') return new ApiError('media_expired', 'This item has been deleted.')
  return inbox.unknown(id)
}

const id = '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8'
const mediaId = '019a5b3c-4d60-7a11-9b02-5c6d7e8f9a0b'
const receivedAt = Date.parse('2026-03-02T14:06:31.000Z')
export const smsExample: InboxSmsRow = {
  id,
  from: '+15551230001',
  to: '+15550001999',
  receivedAt,
  sha256: '',
  bytes: 0,
  body: 'Can I come at ten?',
  segments: 1,
  encoding: 'GSM-7',
  trunkId: 'main',
  media: [mediaId],
}
export const mediaExample: TextMediaRow = {
  id: mediaId,
  itemId: id,
  trunkId: 'main',
  url: '',
  contentType: 'image/jpeg',
  state: 'stored',
  reason: '',
  bytes: 182_044,
  attempts: 1,
  nextAt: receivedAt,
  receivedAt,
}
