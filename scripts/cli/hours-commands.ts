/** The commands of `pbx hours`. */
import { Argument, type Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function hoursCommand(group: Group, finish: Finish): Command {
  return finish(
    group('hours', 'what is open now and until when; opened or closed by hand')
      .argument('[id]', 'of the hours; only these')
      .addArgument(new Argument('[state]', 'by hand; auto: the calendar decides again').choices(['open', 'closed', 'auto']))
      .option('--until <time>', '18:00, or 2026-12-24T18:00, by the clock of the site; without it until it is taken back'),
    async () => (await import('./commands/hours.ts')).hours,
    ['pbx hours', 'pbx hours office closed --until 18:00', 'pbx hours office auto'],
  )
}
