/** What the schema cannot say of mailboxes. */
import type { Config } from '../schema/config.ts'
import { laterKeys } from '../schema/config-mailboxes.ts'
import { duplicates, type MeaningContext } from './meaning.ts'
import { unknownName } from './routing.ts'

export function checkMailboxes({ mailboxes, extensions }: Config, context: MeaningContext): void {
  duplicates(['mailboxes'], 'ext', mailboxes, context)
  const known = extensions.map(({ number }) => number)
  mailboxes.forEach((mailbox, index) => {
    const { operator, pin } = mailbox
    for (const key of laterKeys) {
      if (mailbox[key] !== undefined) context.warning(['mailboxes', index, key], 'this is not used by this version')
    }
    if (typeof pin === 'string' && !/^\d{4,10}$/.test(pin)) context.fault(['mailboxes', index, 'pin'], 'a PIN has 4 to 10 digits')
    if (operator !== undefined && !known.includes(operator))
      context.fault(['mailboxes', index, 'operator'], unknownName('extension', operator, known))
  })
}
