/** The commands of `pbx token`. */
import { InvalidArgumentError, type Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function tokenCommand(group: Group, finish: Finish): Command {
  const token = group('token', 'access tokens of the HTTP interface')
  token.addCommand(
    finish(
      group('create', 'make a token and print it, once')
        .requiredOption('--name <name>', 'whom it is for')
        .option('--scope <scope...>', 'what it opens: send, inbox, voice, crm, admin (default: all, or what fits the restriction)')
        .option('--endpoint <id...>', 'only calls of these voice endpoints')
        .option('--mailbox <ext...>', 'only voicemail of these mailboxes')
        .option('--expires <time>', 'ends by itself: 90d, 12h', spanInDays),
      async () => (await import('./commands/token.ts')).create,
      [
        'pbx token create --name booking-system',
        'pbx token create --name dashboard --scope voice inbox --expires 90d',
        'pbx token create --name desk --endpoint reception --mailbox 101',
      ],
    ),
  )
  token.addCommand(
    finish(
      group('list', 'names, scopes, restrictions, last use and end; the tokens themselves are not kept'),
      async () => (await import('./commands/token.ts')).list,
      ['pbx token list'],
    ),
  )
  token.addCommand(
    finish(group('revoke', 'end a token').argument('<name>'), async () => (await import('./commands/token.ts')).revoke, [
      'pbx token revoke booking-system',
    ]),
  )
  return token
}

function spanInDays(text: string): number {
  const parts = /^(\d{1,5})([dh])$/.exec(text)
  const days = Number(parts?.[1]) / (parts?.[2] === 'h' ? 24 : 1)
  if (parts === null || !(days > 0 && days <= 3660))
    throw new InvalidArgumentError('A time such as 90d or 12h is wanted, 10 years at most.')
  return days
}
