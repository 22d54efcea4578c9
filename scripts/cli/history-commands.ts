/** The commands of `pbx history`. */
import { Option, type Command } from 'commander'
import { callOutcomes, historyDirections } from '../../daemon/schema/states.ts'
import type { Finish, Group } from './speech-commands.ts'

export function historyCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const load = () => import('./commands/history.ts')
  const history = group('history', 'calls that are over: who, whom, when, who took the call, and the way it took')
  history.addCommand(
    finish(
      group('list', 'newest first (what "pbx history" alone shows)')
        .argument('[number]', 'a number or an extension that had a part in the call')
        .addOption(new Option('--outcome <outcome>', 'what became of it').choices(callOutcomes))
        .addOption(new Option('--direction <direction>', 'which way').choices(historyDirections))
        .option('--from <time>', 'begun at this time or later: 2026-03-02, or 2026-03-02T14:00')
        .option('--to <time>', 'begun before this time')
        .option('--limit <n>', 'at most so many', rows, 50),
      async () => (await load()).list,
      ['pbx history', 'pbx history 102 --outcome missed', 'pbx history +15551230001 --from 2026-03-01 --json'],
    ),
    { isDefault: true },
  )
  history.addCommand(
    finish(
      group('show', 'one call, step by step').argument('<callId>', 'the call, or a part of its id; "last" for the newest'),
      async () => (await load()).show,
      ['pbx history show last', 'pbx history show CA019aa4c1'],
    ),
  )
  return history
}
