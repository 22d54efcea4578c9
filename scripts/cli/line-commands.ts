/** The commands of `pbx lines`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function lineCommand(group: Group, finish: Finish): Command {
  const load = () => import('./commands/lines.ts')
  const lines = group('lines', 'trunks, phones and modem lines, each with its state and the reason')
  lines.addCommand(
    finish(group('list', 'all of them (what "pbx lines" alone shows)'), async () => (await load()).lines, ['pbx lines']),
    { isDefault: true },
  )
  lines.addCommand(
    finish(group('bans', 'addresses that are ignored after wrong passwords'), async () => (await load()).bans, ['pbx lines bans']),
  )
  lines.addCommand(
    finish(
      group('unban', 'let an address register again; exit 1 when it was not banned').argument('<address>', 'as pbx lines bans shows it'),
      async () => (await load()).unban,
      ['pbx lines unban 192.0.2.40', 'pbx lines unban 2001:db8:1:2::/64'],
    ),
  )
  return lines
}
