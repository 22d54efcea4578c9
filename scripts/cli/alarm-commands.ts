/** The commands of `pbx alarms`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function alarmsCommand(group: Group, finish: Finish): Command {
  const load = () => import('./commands/alarms.ts')
  const alarms = group('alarms', 'who is told what is the matter with the box, and what is told now')
  alarms.addCommand(
    finish(group('list', 'rules and alarms (what "pbx alarms" alone shows)'), async () => (await load()).alarms, ['pbx alarms']),
    { isDefault: true },
  )
  alarms.addCommand(
    finish(
      group('test', 'tell everybody of a rule, or of all, that nothing is the matter; exit 1 when somebody cannot be told').argument(
        '[rule]',
      ),
      async () => (await load()).test,
      ['pbx alarms test', 'pbx alarms test office'],
    ),
  )
  alarms.addCommand(
    finish(
      group('ack', 'take in hand what lasts: nobody is told of it again before it is over').argument(
        '[event]',
        'the event as pbx alarms shows it (default: all that last)',
      ),
      async () => (await load()).acknowledge,
      ['pbx alarms ack', 'pbx alarms ack 6f0a1d37'],
    ),
  )
  return alarms
}
