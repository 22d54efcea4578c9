/** Requests and answers of the fax routes. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { DuplicatePagesSchema, FaxReasonSchema, FaxResolutionSchema, FaxTransportSchema } from './events/fax.ts'
import { named, type View } from './named.ts'
import { faxStates } from './states.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

const text = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))

/** One page with one word. */
export const examplePdf =
  'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+IGVuZG9iagoyIDAgb2JqPDwvVHlwZS9QYWdlcy9LaWRzWzMgMCBSXS9Db3Vu' +
  'dCAxPj4gZW5kb2JqCjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA2MTIgNzkyXS9Db250ZW50cyA0IDAgUi9SZXNvdXJj' +
  'ZXM8PC9Gb250PDwvRiA1IDAgUj4+Pj4+PiBlbmRvYmoKNCAwIG9iajw8L0xlbmd0aCAzOD4+c3RyZWFtCkJUIC9GIDI0IFRmIDcyIDcwMCBUZCAoUmVmZXJy' +
  'YWwpIFRqIEVUCmVuZHN0cmVhbSBlbmRvYmoKNSAwIG9iajw8L1R5cGUvRm9udC9TdWJ0eXBlL1R5cGUxL0Jhc2VGb250L0hlbHZldGljYT4+IGVuZG9iagp4' +
  'cmVmCjAgNgowMDAwMDAwMDAwIDY1NTM1IGYgCjAwMDAwMDAwMDkgMDAwMDAgbiAKMDAwMDAwMDA1MyAwMDAwMCBuIAowMDAwMDAwMTAzIDAwMDAwIG4gCjAw' +
  'MDAwMDAyMTMgMDAwMDAgbiAKMDAwMDAwMDI5NyAwMDAwMCBuIAp0cmFpbGVyPDwvUm9vdCAxIDAgUi9TaXplIDY+PgpzdGFydHhyZWYKMzU5CiUlRU9GCg=='

export const CoverSchema = Type.Object(
  { to: text('Name of the recipient. Default: the number.'), from: text('Name of the sender.'), subject: text('Subject.') },
  { description: 'A cover page is put in front where this member is present, even empty.' },
)

export const PortfolioSchema = Type.Optional(
  Type.Union([Type.Literal('refuse'), Type.Literal('files')], {
    default: 'refuse',
    description:
      'What becomes of a PDF portfolio, whose pages are only a wrapper: refused (pdf_unreadable), or the PDFs inside are faxed, all of ' +
      'them, in the order of their names. Of no effect on other PDFs.',
  }),
)

export const FaxRequestSchema = named(
  'FaxRequest',
  Type.Object(
    {
      to: Type.String({ maxLength: 64, description: 'Destination: 3 to 20 digits; spaces, -, (, ), . and a leading + are allowed.' }),
      pdfBase64: Type.Optional(
        Type.String({ description: 'The PDF, Base64; at most 20 MiB and 200 pages. Required without a previewId.' }),
      ),
      previewId: Type.Optional(
        Type.String({ maxLength: 64, description: 'In place of pdfBase64: the pages and the cover of a preview, as they were looked at.' }),
      ),
      repeat: Type.Optional(
        Type.Boolean({ description: 'Of a preview: send it though the same document went to this number within the last hour.' }),
      ),
      toAgain: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'The number typed a second time: needed of a person, where no fax machine has answered at it before.',
        }),
      ),
      cover: Type.Optional(CoverSchema),
      statusCallbackUrl: Type.Optional(
        Type.String({ minLength: 1, maxLength: 2048, description: 'Absolute URL that receives fax.sent or fax.failed.' }),
      ),
      sendAt: Type.Optional({
        ...TimeSchema,
        description: 'Not before this time, which is at most 14 days ahead; the deadline of 3 hours counts from then. Default: at once.',
      }),
      priority: Type.Optional(
        Type.Union([Type.Literal('low'), Type.Literal('normal'), Type.Literal('high')], {
          default: 'normal',
          description: 'Which fax is dialled first when lines are short.',
        }),
      ),
      portfolio: PortfolioSchema,
    },
    {
      description: 'A fax to send. Unknown members are ignored.',
      examples: [
        {
          to: '+15551230001',
          pdfBase64: examplePdf,
          cover: { to: 'Dr. Hay', from: 'Riverside Clinic', subject: 'Referral' },
          statusCallbackUrl: 'https://app.example/fax',
        },
      ],
    },
  ),
)

export const FaxStatusSchema = named('FaxStatus', Choice(faxStates, { description: 'sent, failed and canceled are final.' }))

export const FaxIdSchema = Type.String({ format: 'uuid' })

/** What a warning may be about. */
export type FaxWarningKind = 'fonts' | 'notes' | 'open' | 'sheets' | 'attached' | 'order'

const WarningsSchema = Type.Array(Type.String(), {
  description:
    'Sentences about what is not sent as it is in the PDF: fonts that had to be replaced, attached files, pages cut into sheets; and in which order the files of a portfolio go.',
})

const summary = {
  faxId: FaxIdSchema,
  status: FaxStatusSchema,
  to: Type.String(),
  from: Type.String(),
  pages: Type.Integer({ description: 'With the cover page.' }),
  pagesSent: Type.Integer({ description: 'Pages the far end confirmed.' }),
  attempts: Type.Integer({ description: 'Calls made.' }),
  createdAt: TimeSchema,
  expiresAt: TimeSchema,
  sendAt: { ...NullableTimeSchema, description: 'When it may go, where that is later than its acceptance.' },
  nextAttemptAt: NullableTimeSchema,
  completedAt: NullableTimeSchema,
  estimatedSeconds: Type.Union([Type.Integer(), Type.Null()], {
    description: 'How long the pages that are left take on the line; null until the pages are drawn.',
  }),
  durationSeconds: Type.Integer({ description: 'Of the last call that was answered.' }),
  transport: FaxTransportSchema,
  bitRate: Type.Integer({ description: 'Bit/s; 0 until known.' }),
  ecm: Type.Boolean(),
  resolution: FaxResolutionSchema,
  remoteStationId: Type.String({ description: 'What the far end calls itself.' }),
  reason: Type.Union([FaxReasonSchema, Type.Null()], { description: 'Why it failed, or why it is tried again.' }),
  message: Type.String({ description: 'The reason as a sentence.' }),
  t30Code: Type.Union([Type.Integer(), Type.Null()]),
  possibleDuplicatePages: DuplicatePagesSchema,
  warnings: WarningsSchema,
  sentBy: Type.String({ description: 'Name of the access token, or person:LOGIN; empty where neither is known.' }),
  replaces: Type.Union([FaxIdSchema, Type.Null()], { description: 'The fax that was sent again by this one, perhaps to another number.' }),
  replacedBy: Type.Union([FaxIdSchema, Type.Null()], { description: 'The fax by which this one was sent again.' }),
  progress: Type.Union([
    Type.Object(
      {
        phase: Type.String(),
        page: Type.Integer(),
        bitRate: Type.Integer(),
        percent: Type.Union([Type.Integer(), Type.Null()], {
          description: 'How far the page on the wire is, by its bytes and the bit rate; null while none is.',
        }),
      },
      { description: 'Of the call in progress.' },
    ),
    Type.Null(),
  ]),
}

export const FaxSummarySchema = named('FaxSummary', Type.Object(summary))
export type FaxSummary = View<typeof FaxSummarySchema>

export const FaxAcceptedSchema = named(
  'FaxAccepted',
  Type.Object({
    ...summary,
    status: Type.Literal('queued'),
    warning: Type.Optional(
      Type.String({ description: 'Of a number that the numbering plan does not have, and that is called all the same.' }),
    ),
  }),
)

export const FaxSchema = named(
  'Fax',
  Type.Object({
    ...summary,
    calls: Type.Array(
      Type.Object({
        at: TimeSchema,
        callId: Type.String(),
        line: Type.String(),
        outcome: Type.String({ description: 'sent, or the class of failure that decides about the next try.' }),
        reason: Type.Union([FaxReasonSchema, Type.Literal('')]),
        t30Code: Type.Union([Type.Integer(), Type.Null()]),
        sipCode: Type.Integer(),
        pages: Type.Integer({ description: 'Confirmed in this call.' }),
        bitRate: Type.Integer(),
        transport: FaxTransportSchema,
        durationSeconds: Type.Integer(),
        text: Type.String(),
      }),
      { description: 'The calls of this fax, oldest first.' },
    ),
  }),
)

export type FaxView = View<typeof FaxSchema>

export const FaxListSchema = Type.Object({
  items: Type.Array(FaxSummarySchema),
  faxes: Type.Array(FaxSummarySchema, { deprecated: true, description: 'The same as items.' }),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'For the next page; null at the end.' }),
})

const exampleId = '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8'

export const faxExample = {
  faxId: exampleId,
  status: 'sent',
  to: '+15551230001',
  from: '+15550001999',
  pages: 3,
  pagesSent: 3,
  attempts: 1,
  createdAt: '2026-03-02T14:05:11.000Z',
  expiresAt: '2026-03-02T17:05:11.000Z',
  sendAt: null,
  nextAttemptAt: null,
  completedAt: '2026-03-02T14:06:31.000Z',
  estimatedSeconds: 0,
  durationSeconds: 72,
  transport: 't38',
  bitRate: 14_400,
  ecm: true,
  resolution: 'fine',
  remoteStationId: '+1 555 123 0001',
  reason: null,
  message: '',
  t30Code: 0,
  possibleDuplicatePages: [],
  warnings: [],
  sentBy: 'clinic software',
  replaces: null,
  replacedBy: null,
  progress: null,
} as const

export const faxAcceptedExample = {
  ...faxExample,
  status: 'queued',
  pagesSent: 0,
  attempts: 0,
  completedAt: null,
  estimatedSeconds: null,
  durationSeconds: 0,
  transport: null,
  bitRate: 0,
  ecm: false,
  remoteStationId: '',
  t30Code: null,
  warnings: ['Page 1: drawn with another font, since the PDF lacks its own (STSong-Light).'],
} as const

export const MissedFaxSchema = named(
  'MissedFax',
  Type.Object(
    {
      callId: Type.String(),
      from: Type.String(),
      to: Type.String(),
      at: NullableTimeSchema,
      durationSeconds: Type.Integer(),
      text: Type.String({ description: 'How its session ended.' }),
    },
    { description: 'A fax call that brought no page.' },
  ),
)
export type MissedFaxView = View<typeof MissedFaxSchema>
