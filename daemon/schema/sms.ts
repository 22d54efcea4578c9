/** Requests and answers of the routes for texts. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { smsStates } from './states.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'
import { InboxSmsSchema, TextMediaSchema } from './inbox.ts'

const Recipient = Type.Union([Type.String({ maxLength: 10_000 }), Type.Integer({ minimum: 0 })])
const Body = (description: string) => Type.Optional(Type.String({ description }))

export const SmsRequestSchema = named(
  'MessageRequest',
  Type.Object(
    {
      to: Type.Union([Type.String({ maxLength: 10_000 }), Type.Integer({ minimum: 0 }), Type.Array(Recipient, { maxItems: 1000 })], {
        description: 'A number, several with commas or semicolons between, or an array of numbers; at most 100 recipients.',
      }),
      message: Body('The text: 160 characters of the GSM alphabet or 70 others go out as one part; at most 10 parts.'),
      text: Body('The same as message, which wins where both are given.'),
    },
    {
      description: 'A text to send. Unknown members are ignored.',
      examples: [{ to: '555-123-0017, 555-123-0018', message: 'Your appointment is tomorrow at 10:00.' }],
    },
  ),
)

export const SmsStateSchema = named(
  'MessageStatus',
  Choice(smsStates, {
    description:
      'sent: a trunk has taken it; delivered: the network said so; unknown: the trunk did not answer, so it may have been sent, and is not repeated.',
  }),
)

const MessageIdSchema = Type.String({ format: 'uuid' })
const EncodingSchema = Type.Union([Type.Literal('GSM-7'), Type.Literal('UCS-2')])
const Code = Type.String({ description: 'Stable; for programs.' })

export const SmsAnswerSchema = named(
  'MessageAnswer',
  Type.Object({
    sent: Type.Integer({ description: 'Recipients whose text a trunk took within 8 seconds.' }),
    recipients: Type.Integer({ description: 'Distinct recipients that were given.' }),
    queued: Type.Integer({ description: 'Recipients whose text is still tried.' }),
    failed: Type.Integer(),
    unknown: Type.Optional(Type.Integer({ description: 'Present where the answer of a trunk was lost.' })),
    messages: Type.Array(
      Type.Object({
        messageId: Type.Optional(MessageIdSchema),
        to: Type.String({ description: 'E.164 or a short code; as it was given where it cannot be texted.' }),
        status: Type.Union([Type.Literal('accepted'), Type.Literal('queued'), Type.Literal('failed'), Type.Literal('unknown')]),
        segments: Type.Optional(Type.Integer()),
        encoding: Type.Optional(EncodingSchema),
        warning: Type.Optional(
          Type.String({ description: 'Of a number that the numbering plan does not have, and that is texted all the same.' }),
        ),
        error: Type.Optional(Type.String({ description: 'For people.' })),
        code: Type.Optional(Code),
      }),
    ),
  }),
)
export type SmsAnswer = View<typeof SmsAnswerSchema>

const summary = {
  messageId: MessageIdSchema,
  status: SmsStateSchema,
  to: Type.String(),
  from: Type.String({ description: 'Number of the trunk; empty where it has none.' }),
  segments: Type.Integer(),
  encoding: EncodingSchema,
  trunkId: Type.String(),
  attempts: Type.Integer(),
  createdAt: TimeSchema,
  expiresAt: TimeSchema,
  nextAttemptAt: NullableTimeSchema,
  sentAt: NullableTimeSchema,
  completedAt: NullableTimeSchema,
  error: Type.String({ description: 'For people; empty where there is none.' }),
  code: Code,
  subject: Type.String({ description: 'The reminder or other thing it belongs to; empty for none.' }),
}

const SummarySchema = named('MessageSummary', Type.Object(summary))

export const SmsListSchema = Type.Object({
  items: Type.Array(SummarySchema),
  messages: Type.Array(SummarySchema, { deprecated: true, description: 'The same as items.' }),
  nextCursor: Type.Union([MessageIdSchema, Type.Null()], { description: 'Pass it as cursor; null on the last page.' }),
})

const ReportSchema = Type.Union([
  Type.Literal('delivered'),
  Type.Literal('buffered'),
  Type.Literal('failed'),
  Type.Literal('expired'),
  Type.Null(),
])

export const SmsMessageSchema = named(
  'Message',
  Type.Object({
    ...summary,
    body: Type.String(),
    parts: Type.Array(Type.Object({ accepted: Type.Boolean(), report: ReportSchema }), {
      description: 'What the network said of each part; one entry where the trunk takes whole texts.',
    }),
  }),
)

export type SmsSummary = View<typeof SummarySchema>
export type SmsView = View<typeof SmsMessageSchema>
export type SmsSentView = View<typeof SmsAnswerSchema>

export const SmsTrunkSchema = named(
  'MessageTrunk',
  Type.Object({
    id: Type.String(),
    kind: Type.String(),
    number: Type.String(),
    default: Type.Boolean({ description: 'Whether new texts take it unless it is down.' }),
    ok: Type.Boolean(),
    state: Type.String(),
    reason: Type.String({ description: 'For a person; "" when ready.' }),
    since: TimeSchema,
    facts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  }),
)
export type SmsTrunkView = View<typeof SmsTrunkSchema>

export const SuppressedSchema = named(
  'Suppressed',
  Type.Object(
    { number: Type.String(), since: TimeSchema, by: Type.String({ description: 'What the person wrote, or command.' }) },
    { description: 'A number that gets no texts.' },
  ),
)
export type SuppressedView = View<typeof SuppressedSchema>

const messageId = '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8'

export const smsAnswerExample = {
  sent: 1,
  recipients: 2,
  queued: 1,
  failed: 0,
  messages: [
    { messageId, to: '+15551230001', segments: 1, encoding: 'GSM-7', status: 'accepted' },
    { messageId: '019a5b3c-4d5e-7f81-8192-a3b4c5d6e7f8', to: '+15551230002', segments: 1, encoding: 'GSM-7', status: 'queued' },
  ],
}

export const smsExample = {
  messageId,
  status: 'sent',
  to: '+15551230001',
  from: '+15550002000',
  segments: 1,
  encoding: 'GSM-7',
  trunkId: 'gsm1',
  attempts: 1,
  createdAt: '2026-03-02T14:05:11.000Z',
  expiresAt: '2026-03-03T14:05:11.000Z',
  nextAttemptAt: null,
  sentAt: '2026-03-02T14:05:13.000Z',
  completedAt: null,
  error: '',
  code: '',
  subject: '',
}

/** Texts by the number at the other end. */
const StoppedSchema = Type.Union(
  [Type.Object({ since: TimeSchema, by: Type.String({ description: 'What the person wrote, or command.' }) }), Type.Null()],
  {
    description: 'Since when the number gets no texts, because its owner asked for none.',
  },
)

const SaidSchema = named(
  'ConversationText',
  Type.Object({
    direction: Choice(['in', 'out']),
    id: Type.String({ description: 'Of the item in the inbox, or the messageId.' }),
    at: TimeSchema,
    text: Type.String(),
    status: Type.Optional(SmsStateSchema),
    error: Type.Optional(Type.String({ description: 'Of one that was sent: why it failed, or why nothing is known of it.' })),
    code: Type.Optional(Type.String()),
    keyword: Type.Optional(InboxSmsSchema.properties.keyword),
    mayOptOut: Type.Optional(InboxSmsSchema.properties.mayOptOut),
    media: Type.Optional(Type.Array(TextMediaSchema)),
  }),
)
export type SaidView = View<typeof SaidSchema>

const number = Type.String({ description: 'E.164, a short code, or the name of a sender.' })
const before = Type.Union([Type.Integer(), Type.Null()], { description: 'Pass it as before for older ones; null at the end.' })

const ConversationSchema = named('Conversation', Type.Object({ number, last: SaidSchema, stopped: StoppedSchema }))
export type ConversationView = View<typeof ConversationSchema>

export const ConversationListSchema = Type.Object({ items: Type.Array(ConversationSchema), nextBefore: before })
export const ConversationTextsSchema = Type.Object({ number, stopped: StoppedSchema, items: Type.Array(SaidSchema), nextBefore: before })

const said: SaidView = {
  direction: 'in',
  id: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
  at: '2026-03-02T14:06:31.000Z',
  text: 'Can I come at ten?',
}
export const conversationExample: ConversationView = { number: '+15551230001', last: said, stopped: null }
export const conversationTextsExample = { number: '+15551230001', stopped: null, items: [said], nextBefore: null }
