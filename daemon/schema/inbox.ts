/** Answers of the routes of what was received. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { FaxResolutionSchema, FaxTransportSchema } from './events/fax.ts'
import { FaxIdSchema, MissedFaxSchema } from './fax.ts'
import { named, type View } from './named.ts'
import { textMediaStates } from './states.ts'
import { TimeSchema } from './voice-call.ts'

const common = {
  id: FaxIdSchema,
  from: Type.String(),
  to: Type.String(),
  receivedAt: TimeSchema,
  box: Type.Optional(
    Type.String({ description: 'The box that received it, of an item that this box collected from another one (collect.boxes).' }),
  ),
  site: Type.Optional(Type.String({ description: 'The site that received it, of an item that this box collected there (collect.from).' })),
}

export const InboxFaxSchema = named(
  'InboxFax',
  Type.Object({
    ...common,
    mediaUrl: Type.String({ description: 'Path of the PDF.' }),
    pages: Type.Integer(),
    status: Type.Union([Type.Literal('complete'), Type.Literal('partial')]),
    complete: Type.Boolean({ description: 'False when the call broke off; the pages that arrived are there.' }),
    callerName: Type.Optional(Type.String()),
    trunkId: Type.String(),
    callId: Type.String(),
    remoteStationId: Type.String(),
    remoteId: Type.Optional(Type.String({ description: 'The same as remoteStationId, where there is one.' })),
    durationSeconds: Type.Integer(),
    bitRate: Type.Integer(),
    ecm: Type.Boolean(),
    resolution: FaxResolutionSchema,
    transport: FaxTransportSchema,
    badRows: Type.Integer({ description: 'Rows with errors; 0 with error correction.' }),
    bytes: Type.Integer(),
    sha256: Type.String(),
  }),
)

export const TextMediaSchema = named(
  'TextMedia',
  Type.Object({
    id: FaxIdSchema,
    contentType: Type.String({ description: 'Such as image/jpeg, as the provider calls it; "" where it does not.' }),
    bytes: Type.Union([Type.Integer(), Type.Null()], { description: 'Size of the file; null until it is stored.' }),
    state: Choice(textMediaStates, {
      description: 'An item enters the feed before its files are fetched: ask for it again while one is fetching.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why it is not stored, so far.' })),
    mediaUrl: Type.String({ description: 'Path of the file.' }),
  }),
)

export const InboxSmsSchema = named(
  'InboxText',
  Type.Object({
    ...common,
    body: Type.String(),
    // Clients that are generated leave out what can be nothing but null.
    mediaUrl: Type.Union([Type.String(), Type.Null()], { description: 'null: a text has none.' }),
    segments: Type.Integer(),
    encoding: Type.Union([Type.Literal('GSM-7'), Type.Literal('UCS-2')]),
    trunkId: Type.String(),
    keyword: Type.Optional(
      Type.Union([Type.Literal('STOP'), Type.Literal('START'), Type.Literal('HELP'), Type.Literal('CANCEL'), Type.Literal('END')], {
        description:
          'The text, or its first sentence, is one word with a meaning: STOP, START and HELP as carriers have them. CANCEL and END count ' +
          'as STOP where `sms.optOutWords` has them, as it has by default; a patient may mean the appointment too, and somebody has to look.',
      }),
    ),
    mayOptOut: Type.Optional(
      Type.Literal(true, {
        description: 'It may ask for no more texts, in words of its own: nothing was changed, and somebody has to decide.',
      }),
    ),
    media: Type.Optional(
      Type.Array(TextMediaSchema, { description: 'Pictures and other files that came with it; absent where none did.' }),
    ),
  }),
)

export const VoicemailTranscriptSchema = Type.Union([
  Type.Literal('done'),
  Type.Literal('empty'),
  Type.Literal('failed'),
  Type.Literal('off'),
])

export const InboxVoicemailSchema = named(
  'InboxVoicemail',
  Type.Object({
    ...common,
    ext: Type.String(),
    callerName: Type.Optional(Type.String()),
    callId: Type.String(),
    durationSeconds: Type.Integer(),
    transcript: Type.String(),
    transcriptStatus: VoicemailTranscriptSchema,
    language: Type.Optional(Type.String()),
    forwardedFrom: Type.Optional(
      Type.String({ description: 'Number of the mailbox from which somebody forwarded it, where it stays an item of its own.' }),
    ),
    mediaUrl: Type.String(),
  }),
)

export const inboxFeeds = ['faxes', 'sms', 'voicemails'] as const

export const InboxSummarySchema = Type.Array(
  Type.Object({
    feed: Choice(inboxFeeds),
    items: Type.Integer(),
    head: Type.Integer({ description: 'What a poller that has everything would pass as since.' }),
    missed: Type.Optional(Type.Integer({ description: 'Of faxes: calls that brought no page.' })),
  }),
)
export type InboxSummaryView = View<typeof InboxSummarySchema>

export const InboxNewestSchema = Type.Object({
  items: Type.Array(Type.Union([InboxFaxSchema, InboxSmsSchema, InboxVoicemailSchema]), { description: 'Oldest first.' }),
  nextSince: Type.Integer(),
  nextBefore: Type.Union([Type.Integer(), Type.Null()], { description: 'For the page of older items; null where there are none.' }),
  missed: Type.Optional(Type.Array(MissedFaxSchema, { description: 'Of faxes.' })),
})
export type InboxNewestView = View<typeof InboxNewestSchema>

export const InboxMediaSchema = Type.Object({
  file: Type.String({ description: 'Where it is on this machine.' }),
  name: Type.String({ description: 'For a copy.' }),
})

export const NextSinceSchema = Type.Integer({ description: 'Cursor to pass as since on the next poll of this path and ext.' })
