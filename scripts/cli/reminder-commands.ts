/** The commands of `pbx reminders`. */
import { Option, type Command } from 'commander'
import { reminderOutcomes, reminderStates } from '../../daemon/schema/states.ts'
import { idsIn } from './ids.ts'
import type { Finish, Group } from './speech-commands.ts'
import { deleteCommand } from './stored-commands.ts'

export function reminderCommand(group: Group, finish: Finish): Command {
  const reminders = group('reminders', 'calls that remind of appointments')
  const id = ['<reminderId>', 'the reminder, or a part of its id that no other has; "last" for the newest'] as const
  const load = () => import('./commands/reminders.ts')
  reminders.addCommand(
    finish(
      group('list', 'the appointments of a day, and what became of their reminders')
        .option('--day <day>', 'such as 2026-03-02, tomorrow or yesterday; today unless given')
        .addOption(new Option('--status <status>', 'only these').choices([...reminderStates, ...reminderOutcomes])),
      async () => (await load()).list,
      ['pbx reminders list', 'pbx reminders list --day tomorrow', 'pbx reminders list --status reschedule'],
    ),
  )
  reminders.addCommand(finish(group('show', 'one reminder').argument(...id), async () => (await load()).show, ['pbx reminders show last']))
  reminders.addCommand(
    finish(group('call-now', 'call at once, where the person may be called').argument(...id), async () => (await load()).callNow, [
      'pbx reminders call-now last',
    ]),
  )
  reminders.addCommand(
    finish(group('cancel', 'take a reminder back').argument(...id), async () => (await load()).cancel, ['pbx reminders cancel last']),
  )
  reminders.addCommand(
    finish(group('opt-outs', 'numbers that asked not to be called with reminders'), async () => (await load()).optOuts, [
      'pbx reminders opt-outs',
    ]),
  )
  reminders.addCommand(
    finish(
      group('allow', 'a number that asked not to be called may be called again').argument('<number>', 'as the list shows it'),
      async () => (await load()).allow,
      ['pbx reminders allow +15551230001'],
    ),
  )
  reminders.addCommand(
    deleteCommand(
      group,
      finish,
      { kind: 'reminder', ids: idsIn('/api/reminders', 'reminderId') },
      'pbx reminders delete',
      'a reminder that is over',
    ),
  )
  return reminders
}
