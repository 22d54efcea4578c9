/** The section `mailboxes` of the configuration: voicemail. */
import { Type, type Static } from '@sinclair/typebox'
import { Secret, strict } from './config-forms.ts'

const properties = {
  greeting: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'What the caller hears before the tone. Default: whose mailbox it is, and to leave a message after the tone.',
    }),
  ),
  maxSeconds: Type.Integer({ default: 180, minimum: 5, maximum: 3600, description: 'Longest message.' }),
  transcribe: Type.Boolean({ default: true, description: 'Whether messages are written down, where the box has a model for recordings.' }),
  operator: Type.Optional(
    Type.String({
      pattern: '^\\d{1,15}$',
      description: 'Number of the extension that a caller reaches by pressing 0 during the greeting.',
    }),
  ),
}

const laterText = 'Not used by this version; accepted, so that one file serves several versions.'

/** Of a later version. */
export const laterKeys = ['notify', 'keepDays'] as const

export const MailboxSchema = strict(
  {
    ext: Type.String({ pattern: '^\\d{1,15}$', description: 'Number of the mailbox, usually that of an extension.' }),
    ...properties,
    pin: Type.Optional(
      Type.Unsafe<string>({
        ...Secret('4 to 10 digits that open it at a phone. Without a PIN the box of an extension opens at its own phones alone.'),
        examples: [{ file: 'mailbox.pin' }],
      }),
    ),
    notify: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: laterText, examples: [{}] })),
    keepDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, description: laterText, examples: [30] })),
  },
  'A mailbox. An extension that is not named here has one with the values by default.',
)

export type MailboxConfig = Static<typeof MailboxSchema>

interface Boxes {
  readonly mailboxes: readonly MailboxConfig[]
  readonly extensions: readonly { readonly number: string }[]
}

export function mailboxNumbers({ mailboxes, extensions }: Boxes): string[] {
  return [...new Set([...mailboxes.map(({ ext }) => ext), ...extensions.map(({ number }) => number)])]
}

/** undefined: there is no such mailbox. */
export function mailboxOf(config: Boxes, ext: string): MailboxConfig | undefined {
  const own = config.mailboxes.find((mailbox) => mailbox.ext === ext)
  if (own !== undefined || !mailboxNumbers(config).includes(ext)) return own
  return { ext, maxSeconds: properties.maxSeconds.default as number, transcribe: properties.transcribe.default as boolean }
}
