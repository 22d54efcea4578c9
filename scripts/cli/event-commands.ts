/** The commands `pbx events`. */
import { Option, type Command } from 'commander'
import { boxEventKinds } from '../../daemon/schema/box-events.ts'
import type { Finish, Group } from './speech-commands.ts'

export function eventsCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  return finish(
    group('events', 'what was the matter with the box, from when until when: lines, parts, disk, clock, updates, logins')
      .option('--follow', 'go on with what happens, until Ctrl-C')
      .option('--lasting', 'only what lasts')
      .addOption(new Option('--kind <kind>', 'only these').choices(boxEventKinds))
      .option('--code <code>', 'only this one, such as line-main')
      .option('--limit <n>', 'at most so many', rows, 20),
    async () => (await import('./commands/events.ts')).events,
    ['pbx events', 'pbx events --follow', 'pbx events --kind line --limit 100', 'pbx events --code line-main --json'],
  )
}
