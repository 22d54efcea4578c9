/** Requests and answers of the mail routes. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const mailStates = ['queued', 'retrying', 'delivered', 'failed'] as const
export type MailState = (typeof mailStates)[number]

export const MailRequestSchema = named(
  'MailRequest',
  Type.Object(
    {
      to: Type.String({ minLength: 3, maxLength: 320, description: 'One address, with or without a name: Pat Doe <pat@example.com>.' }),
      subject: Type.String({ minLength: 1, maxLength: 998, description: 'Line breaks become spaces.' }),
      html: Type.Optional(Type.String({ minLength: 1, description: 'HTML body. This or text is required; both may be given.' })),
      text: Type.Optional(Type.String({ minLength: 1, description: 'Plain-text body.' })),
      attachment: Type.Optional(
        Type.Object(
          {
            filename: Type.String({ minLength: 1, maxLength: 255, description: 'Of a path, the last part is taken.' }),
            base64: Type.String({ minLength: 1, description: 'Content; at most 10 MiB.' }),
          },
          { description: 'At most one.' },
        ),
      ),
    },
    {
      description: 'A mail to send. Unknown members are ignored.',
      examples: [{ to: 'pat@example.com', subject: 'Your appointment', text: 'See you on Monday at ten.' }],
    },
  ),
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const MailStatusSchema = named(
  'MailStatus',
  Choice(mailStates, { description: 'delivered: the mail server of the account took it. delivered and failed are final.' }),
)

export const MailAnswerSchema = named(
  'MailAnswer',
  Type.Object({
    recipients: count('Always 1.'),
    delivered: count('1 when the mail server of the account took it.'),
    queued: count('1 when it is tried again later.'),
    failed: count('1 when the mail server refused it.'),
    mailId: Type.String(),
    status: MailStatusSchema,
    error: Type.Optional(Type.String({ description: 'Why it is not through, for a person.' })),
  }),
)

export const MailSchema = named(
  'Mail',
  Type.Object({
    mailId: Type.String(),
    status: MailStatusSchema,
    to: Type.String(),
    subject: Type.String(),
    bytes: count('Size of the message.'),
    attempts: count('Attempts so far.'),
    createdAt: TimeSchema,
    nextAttemptAt: NullableTimeSchema,
    completedAt: NullableTimeSchema,
    reply: Type.String({ description: "The mail server's last reply." }),
    error: Type.String(),
  }),
)

export type MailView = View<typeof MailSchema>

export const MailTestRequestSchema = named(
  'MailTestRequest',
  Type.Object(
    { to: Type.Optional(Type.String({ minLength: 3, maxLength: 320, description: 'Where a mail is sent to, too.' })) },
    { additionalProperties: false, examples: [{}] },
  ),
)

export const MailTestSchema = named(
  'MailTest',
  Type.Object({
    server: Type.String(),
    ok: Type.Boolean(),
    reason: Type.String({ description: 'For a person; "" when ok.' }),
    mail: Type.Union([MailSchema, Type.Null()], { description: 'The mail that was sent for the test; null where none was asked for.' }),
  }),
)
export type MailTestView = View<typeof MailTestSchema>

export const MailListSchema = Type.Object({
  items: Type.Array(MailSchema),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'For the next page; null at the end.' }),
})

const id = '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8'

export const mailAnswerExample = { recipients: 1, delivered: 1, queued: 0, failed: 0, mailId: id, status: 'delivered' }
export const mailExample = {
  mailId: id,
  status: 'delivered',
  to: 'pat@example.com',
  subject: 'Your appointment',
  bytes: 611,
  attempts: 1,
  createdAt: '2026-03-02T14:06:31.000Z',
  nextAttemptAt: null,
  completedAt: '2026-03-02T14:06:32.000Z',
  reply: '250 2.0.0 Ok: queued as 4F2A',
  error: '',
}
