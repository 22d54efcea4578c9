/** The commands of `pbx mail`. */
import type { Command } from 'commander'
import { idsIn } from './ids.ts'
import type { Finish, Group } from './speech-commands.ts'
import { deleteCommand } from './stored-commands.ts'

export function mailCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const load = () => import('./commands/mail.ts')
  const mail = group('mail', 'the mail account and what is sent through it')
  mail.addCommand(
    finish(
      group('test', 'connect to the mail server and log in; with an address, send a mail there too').argument('[address]', 'whom to write'),
      async () => (await load()).test,
      ['pbx mail test', 'pbx mail test office@example.com'],
    ),
  )
  mail.addCommand(
    finish(
      group('list', 'mails, newest first; their text is never shown').option('--limit <n>', 'at most so many', rows, 50),
      async () => (await load()).list,
      ['pbx mail list'],
    ),
  )
  mail.addCommand(
    finish(
      group('retry', 'try a mail that waits now').argument('<id>', 'id, or a part of it; all for each that waits'),
      async () => (await load()).retry,
      ['pbx mail retry all'],
    ),
  )
  mail.addCommand(deleteCommand(group, finish, { kind: 'mail', ids: idsIn('/api/email', 'mailId') }, 'pbx mail delete', 'a mail'))
  return mail
}
