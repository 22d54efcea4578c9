/** Mailboxes and their messages as the technician sees them. */
import { Type } from '@sinclair/typebox'
import { VoicemailTranscriptSchema } from './inbox.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const MailboxCountsSchema = named(
  'MailboxCounts',
  Type.Object({
    ext: Type.String(),
    fresh: Type.Integer({ minimum: 0, description: 'Messages that nobody has heard.' }),
    old: Type.Integer({ minimum: 0, description: 'Messages that were heard and are still there.' }),
    coming: Type.Integer({ minimum: 0, description: 'Messages that were spoken and come when their words are found.' }),
    full: Type.Boolean({ description: 'The disk is nearly full: no message is recorded.' }),
    lockedUntil: {
      ...NullableTimeSchema,
      description: 'After ten wrong PINs within an hour: for how long the phones that guessed are kept out; null where none is.',
    },
    lockedPhones: Type.Array(Type.String(), { description: 'Extensions whose phones guessed; all others may open the mailbox.' }),
  }),
)
export type MailboxCountsView = View<typeof MailboxCountsSchema>

export const MailboxMessageSchema = named(
  'MailboxMessage',
  Type.Object(
    {
      id: Type.String(),
      from: Type.String(),
      callerName: Type.String({ description: '"" where it is not known.' }),
      receivedAt: TimeSchema,
      durationSeconds: Type.Integer({ minimum: 0 }),
      heard: Type.Boolean(),
      transcript: Type.String({ description: 'Empty where there is none.' }),
      transcriptStatus: VoicemailTranscriptSchema,
      forwardedFrom: Type.Union([Type.String(), Type.Null()], { description: 'Number of the mailbox from which somebody forwarded it.' }),
      mediaUrl: Type.String({ description: 'Path of the audio.' }),
    },
    { description: 'A message of a mailbox, as it is in the inbox under the same id.' },
  ),
)
export type MailboxMessageView = View<typeof MailboxMessageSchema>

export const MailboxForwardSchema = named(
  'MailboxForward',
  Type.Object(
    { to: Type.String({ minLength: 1, maxLength: 32, description: 'Number of the other mailbox.' }) },
    { additionalProperties: false, examples: [{ to: '105' }] },
  ),
)

export const PeaksSchema = named(
  'Peaks',
  Type.Object({
    durationMs: Type.Integer({ minimum: 0 }),
    peaks: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
      minItems: 400,
      maxItems: 400,
      description: 'How loud each of 400 equal parts is, of 255.',
    }),
    words: Type.Optional(
      Type.Array(Type.Object({ text: Type.String(), fromMs: Type.Integer({ minimum: 0 }), toMs: Type.Integer({ minimum: 0 }) }), {
        description: 'The words of the transcript, each with about the time at which it is spoken.',
      }),
    ),
  }),
)
export type PeaksView = View<typeof PeaksSchema>

export const peaksExample: PeaksView = {
  durationMs: 21_400,
  peaks: Array.from({ length: 400 }, (_, part) => (part * 37) % 180),
  words: [{ text: 'Please', fromMs: 420, toMs: 690 }],
}

export const MailboxMarkSchema = named(
  'MailboxMark',
  Type.Object({ heard: Type.Boolean() }, { additionalProperties: false, examples: [{ heard: true }] }),
)
