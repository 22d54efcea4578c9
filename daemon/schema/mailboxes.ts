/** Mailboxes and their messages as the technician sees them. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const MailboxCountsSchema = named(
  'MailboxCounts',
  Type.Object({
    ext: Type.String(),
    fresh: Type.Integer({ minimum: 0, description: 'Messages that nobody has heard.' }),
    old: Type.Integer({ minimum: 0, description: 'Messages that were heard and are still there.' }),
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
    },
    { description: 'A message of a mailbox; its recording and its words are in the inbox, under the same id.' },
  ),
)
export type MailboxMessageView = View<typeof MailboxMessageSchema>

export const MailboxMarkSchema = named(
  'MailboxMark',
  Type.Object({ heard: Type.Boolean() }, { additionalProperties: false, examples: [{ heard: true }] }),
)
