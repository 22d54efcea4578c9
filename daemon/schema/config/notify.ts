/** The people to notify of something that arrived: the same keys wherever there are any. */
import { Type } from '@sinclair/typebox'
import { NumberText, strict } from './forms.ts'

const ways = (what: string) => ({
  mail: Type.Optional(
    Type.String({
      minLength: 3,
      description: `Recipient of a mail about ${what}; needs the section mail.`,
      examples: ['front@example.com'],
    }),
  ),
  sms: Type.Optional({ ...NumberText(`Number that gets a text about ${what}; needs a trunk of sms.`), examples: ['+15551230000'] }),
})

/** By what people are notified: each way belongs to a part of the daemon. */
export const notifyWays: readonly string[] = Object.keys(ways(''))

/** @param what `each message`; @param file what can be attached, such as `the recording` */
export const NotifySchema = (what: string, description: string, file: string) =>
  Type.Optional(
    strict(
      { ...ways(what), attach: Type.Boolean({ default: false, description: `Whether ${file} is attached to the mail, up to 10 MiB.` }) },
      description,
    ),
  )

export const notifyMissed = Type.Optional(
  strict(
    ways('each call from outside that nobody took'),
    'Who is notified of calls from outside that nobody took and that left no message. After a notice further calls of the next ten minutes come as one.',
  ),
)
