/** The commands of `pbx sms`. */
import { Option, type Command } from 'commander'
import { smsStates } from '../../daemon/schema/states.ts'
import { idsIn } from './ids.ts'
import type { Finish, Group } from './speech-commands.ts'
import { deleteCommand } from './stored-commands.ts'

export function smsCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const load = () => import('./commands/sms.ts')
  const sms = group('sms', 'text messages that are sent')
  sms.addCommand(
    finish(
      group('send', 'send a text; waits up to 8 s for the trunk; exit 1 when it reaches nobody')
        .argument('<number...>', 'whom to')
        .requiredOption('--text <text>', 'what to say'),
      async () => (await load()).send,
      ['pbx sms send +15551230001 --text "We are closed today."', 'pbx sms send 555-123-0001 555-123-0002 --text "Hello" --json'],
    ),
  )
  sms.addCommand(
    finish(
      group('list', 'texts, newest first')
        .addOption(new Option('--state <state>', 'only these').choices(smsStates))
        .option('--limit <n>', 'at most so many', rows, 50),
      async () => (await load()).list,
      ['pbx sms list', 'pbx sms list --state unknown'],
    ),
  )
  sms.addCommand(
    finish(
      group('show', 'one text with what the network said').argument(
        '<messageId>',
        'the text, or a part of its id that no other has; "last" for the newest',
      ),
      async () => (await load()).show,
      ['pbx sms show last'],
    ),
  )
  sms.addCommand(finish(group('trunks', 'what carries texts, and how it is'), async () => (await load()).trunks, ['pbx sms trunks']))
  const stopList = group('stop-list', 'numbers that asked not to be texted')
  stopList.addCommand(
    finish(group('list', 'the numbers, and what each wrote'), async () => (await load()).stopList, ['pbx sms stop-list list']),
  )
  stopList.addCommand(
    finish(group('add', 'text a number no more').argument('<number>'), async () => (await load()).stopListAdd, [
      'pbx sms stop-list add +15551230001',
    ]),
  )
  stopList.addCommand(
    finish(group('remove', 'a number may be texted again').argument('<number>'), async () => (await load()).stopListRemove, [
      'pbx sms stop-list remove +15551230001',
    ]),
  )
  sms.addCommand(stopList)
  sms.addCommand(deleteCommand(group, finish, { kind: 'sms', ids: idsIn('/api/sms', 'messageId') }, 'pbx sms delete', 'a text'))
  return sms
}
