/** The section `mailboxes` of the configuration: voicemail. */
import { Type, type TProperties } from '@sinclair/typebox'
import type { MailboxConfig } from '../config.ts'
import { Secret, strict } from './forms.ts'
import { NotifySchema } from './notify.ts'

const properties = {
  greeting: Type.Optional(
    Type.Unsafe<string | { readonly file: string }>({
      anyOf: [
        { type: 'string', minLength: 1, maxLength: 1000 },
        {
          type: 'object',
          properties: {
            file: { type: 'string', minLength: 1, description: 'A WAV file of at most 3 minutes.', examples: ['front-desk.wav'] },
          },
          required: ['file'],
          additionalProperties: false,
        },
      ],
      description:
        'Greeting before the tone: text, or a WAV file. Default: the owner’s name, and to leave a message after the tone. A greeting recorded at the phone has priority.',
      examples: ['You have reached the front desk.', { file: 'front-desk.wav' }],
    }),
  ),
  maxSeconds: Type.Integer({ default: 180, minimum: 5, maximum: 3600, description: 'Longest message.' }),
  transcribe: Type.Boolean({ default: true, description: 'Whether messages are transcribed, if the box has a model for recordings.' }),
  operator: Type.Optional(
    Type.String({
      pattern: '^\\d{1,15}$',
      description: 'Extension that a caller reaches with key 0 during the greeting.',
    }),
  ),
}

/** A mailbox, with the settings that a way of notifying people adds to it. */
export const MailboxSchema = <B extends TProperties>(beside: B) =>
  strict(
    {
      ext: Type.String({ pattern: '^\\d{1,15}$', description: 'Number of the mailbox, usually that of an extension.' }),
      ...properties,
      pin: Type.Optional(
        Type.Unsafe<string>({
          ...Secret(
            '4 to 10 digits that open the mailbox at a phone. Without a PIN the mailbox of an extension opens only at its own phones.',
          ),
          examples: [{ file: 'mailbox.pin' }],
        }),
      ),
      notify: NotifySchema(
        'each message',
        'Who is notified of a new message: from whom, when, how long, in which mailbox.',
        'the recording (ten minutes)',
      ),
      ...beside,
      keepDays: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 3650,
          description: 'How long its messages are kept, in place of inbox.days.',
          examples: [30],
        }),
      ),
    },
    'A mailbox. An extension that is not named here has one with the values by default.',
  )

interface Boxes {
  readonly mailboxes: readonly MailboxConfig[]
  readonly extensions: readonly { readonly number: string }[]
}

/** undefined: there is no such mailbox. */
export function mailboxOf(config: Boxes, ext: string): MailboxConfig | undefined {
  const own = config.mailboxes.find((mailbox) => mailbox.ext === ext)
  if (own !== undefined || !config.extensions.some(({ number }) => number === ext)) return own
  return {
    ext,
    maxSeconds: properties.maxSeconds.default as number,
    transcribe: properties.transcribe.default as boolean,
    transcriptInMail: false,
  }
}
