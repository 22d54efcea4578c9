/** The commands of `pbx callbacks`. */
import { Option, type Command } from 'commander'
import { callbackStates } from '../../daemon/schema/states.ts'
import type { Finish, Group } from './speech-commands.ts'

export function callbacksCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const callbacks = group('callbacks', 'what was, or could not be, told to the applications')
  callbacks.addCommand(
    finish(
      group('list', 'callbacks that wait or were given up')
        .addOption(new Option('--state <state>', 'only these').choices(callbackStates))
        .option('--limit <n>', 'at most so many', rows, 50),
      async () => (await import('./commands/callbacks.ts')).list,
      ['pbx callbacks list', 'pbx callbacks list --state dead'],
    ),
  )
  callbacks.addCommand(
    finish(group('show', 'one callback with its body').argument('<eventId>'), async () => (await import('./commands/callbacks.ts')).show, [
      'pbx callbacks show 019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55',
    ]),
  )
  callbacks.addCommand(
    finish(
      group('retry', 'send again now').argument('[eventId]').option('--dead', 'all that were given up'),
      async () => (await import('./commands/callbacks.ts')).retry,
      ['pbx callbacks retry 019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55', 'pbx callbacks retry --dead'],
    ),
  )
  return callbacks
}
