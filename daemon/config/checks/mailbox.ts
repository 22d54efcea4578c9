/** What the schema cannot say of mailboxes. */
import type { Config } from '../../schema/config.ts'
import { duplicates, type MeaningContext } from '../meaning.ts'
import { unknownName } from '../routing.ts'
import { checkSound, wavSound } from './sound.ts'

const mostGreetingSeconds = 180

export function checkMailboxes(config: Config, context: MeaningContext): void {
  const { mailboxes, extensions } = config
  duplicates(['mailboxes'], 'ext', mailboxes, context)
  const known = extensions.map(({ number }) => number)
  mailboxes.forEach((mailbox, index) => {
    const { operator, pin, greeting } = mailbox
    if (
      typeof greeting === 'object' &&
      checkSound(['mailboxes', index, 'greeting', 'file'], greeting.file, wavSound, context) > mostGreetingSeconds
    )
      context.fault(['mailboxes', index, 'greeting', 'file'], `a greeting has at most ${mostGreetingSeconds} s`)
    if (typeof pin === 'string' && !/^\d{4,10}$/.test(pin)) context.fault(['mailboxes', index, 'pin'], 'a PIN has 4 to 10 digits')
    if (operator !== undefined && !known.includes(operator))
      context.fault(['mailboxes', index, 'operator'], unknownName('extension', operator, known))
  })
}
