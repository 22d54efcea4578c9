/** Texts by the number at the other end. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { InboxSmsSchema, TextMediaSchema } from './inbox.ts'
import { named, type View } from './named.ts'
import { SmsStateSchema } from './sms.ts'
import { TimeSchema } from './voice-call.ts'

export const StoppedSchema = Type.Union(
  [Type.Object({ since: TimeSchema, by: Type.String({ description: 'What the person wrote, or command.' }) }), Type.Null()],
  {
    description: 'Since when the number gets no texts, because its owner asked for none.',
  },
)

export const SaidSchema = named(
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

export const ConversationSchema = named('Conversation', Type.Object({ number, last: SaidSchema, stopped: StoppedSchema }))
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
