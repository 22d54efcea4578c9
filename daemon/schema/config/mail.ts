/** The section `mail` of the configuration: the account through which mail is sent. */
import { Type } from '@sinclair/typebox'
import { Choice, Secret, strict } from './forms.ts'

export const MailSchema = strict(
  {
    server: Type.String({ minLength: 1, description: 'host:port of the mail server.' }),
    tls: Choice(['off', 'starttls', 'on'], {
      default: 'starttls',
      description: 'on: TLS from the first byte (port 465); starttls: required before the password is sent; off: in the clear.',
    }),
    caFile: Type.Optional(Type.String({ minLength: 1, description: 'PEM file with the authority of your own server.' })),
    username: Type.String({ default: '', description: 'Name of the account; empty if the server needs none.' }),
    password: Secret('Password of the account.', ''),
    from: Type.String({ minLength: 3, maxLength: 320, description: 'Sender, such as Riverside Clinic <office@example.com>.' }),
    validityHours: Type.Number({ default: 24, minimum: 0.1, maximum: 120, description: 'How long the box tries to send a mail.' }),
    queue: Type.Integer({ default: 1000, minimum: 1, maximum: 100_000, description: 'Mails that may wait.' }),
    keepDays: Type.Integer({ default: 30, minimum: 1, maximum: 3650, description: 'How long the state of a mail is kept.' }),
  },
  'The mail account.',
)

/** How sections with notices name the people who get a mail. */
export const mailNotify = {
  alarm: {
    mail: Type.Array(Type.String({ minLength: 3 }), {
      default: [],
      maxItems: 20,
      uniqueItems: true,
      description: 'Recipients of a mail; needs the section mail.',
    }),
  },
  emergency: { mail: Type.Optional(Type.String({ minLength: 3, description: 'Recipients of a mail; needs the section mail.' })) },
}

/** What a mailbox says of its mails, apart from their addresses. */
export const mailOfMailbox = {
  transcriptInMail: Type.Boolean({
    default: false,
    description: 'Whether the mail of notify contains the transcript. A text never does.',
  }),
}
