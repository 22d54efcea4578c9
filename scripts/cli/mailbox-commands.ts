/** The commands of `pbx mailbox`. */
import type { Command } from 'commander'
import { inboxIds } from './ids.ts'
import type { Finish, Group } from './speech-commands.ts'
import { deleteCommand } from './stored-commands.ts'

export function mailboxCommand(group: Group, finish: Finish): Command {
  const load = () => import('./commands/mailbox.ts')
  const mailbox = group('mailbox', 'voicemail of the house: who has messages, and which')
  mailbox.addCommand(
    finish(
      group('list', 'the mailboxes (what "pbx mailbox" alone shows), or the messages of one').argument('[ext]', 'number of the mailbox'),
      async () => (await load()).list,
      ['pbx mailbox', 'pbx mailbox list 101', 'pbx mailbox list 101 --json'],
    ),
    { isDefault: true },
  )
  for (const [name, summary] of [
    ['heard', 'mark a message as heard'],
    ['new', 'mark a message as new again'],
  ] as const)
    mailbox.addCommand(
      finish(
        group(name, `${summary}: the message lamp follows`).argument('<ext>', 'number of the mailbox').argument('<id>', 'of the message'),
        async () => (await load()).mark(name === 'heard'),
        [`pbx mailbox ${name} 101 019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8`],
      ),
    )
  mailbox.addCommand(
    finish(
      group('unlock', 'let a mailbox that wrong PINs have locked be opened again; exit 1 when it was not locked').argument(
        '<ext>',
        'number of the mailbox',
      ),
      async () => (await load()).unlock,
      ['pbx mailbox unlock 101'],
    ),
  )
  mailbox.addCommand(deleteCommand(group, finish, { kind: 'inbox', ids: inboxIds }, 'pbx mailbox delete', 'a message'))
  return mailbox
}
