/** `pbx where`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function whereCommand(group: Group, finish: Finish): Command {
  return finish(
    group('where', 'where a call would go, step by step, and why; none is made')
      .argument('<number>', 'what is dialled')
      .option('--from <number>', 'the extension that dials; otherwise the call comes through a trunk')
      .option('--at <time>', 'at this time, such as 2026-12-24T18:00-05:00; now by default'),
    async () => (await import('./commands/where.ts')).where,
    ['pbx where +15550001000', 'pbx where +15551230000 --from 101', 'pbx where +15550001000 --at 2026-12-24T18:00-05:00'],
  )
}
