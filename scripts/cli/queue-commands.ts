/** The command `pbx queue`. */
import { Argument, type Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function queueCommand(group: Group, finish: Finish): Command {
  return finish(
    group('queue', 'queues: who waits and how long, members and their state, figures of a day; with an action: one member')
      .argument('[name]', 'the queue; all without it')
      .addArgument(new Argument('[action]', 'what becomes of the member').choices(['login', 'logout', 'pause', 'resume']))
      .argument('[extension]', 'the member')
      .option('--day <date>', 'figures of this day, as 2026-03-02 (default: today)')
      .option('--reason <text>', 'why the member pauses')
      .option('--paused', 'log in, but begin with a pause'),
    async () => (await import('./commands/queue.ts')).queue,
    ['pbx queue', 'pbx queue nurses --day 2026-03-02', 'pbx queue nurses pause 103 --reason lunch', 'pbx queue nurses login 104 --paused'],
  )
}
