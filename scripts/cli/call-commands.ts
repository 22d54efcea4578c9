/** The commands `pbx calls` and `pbx trace`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function callCommands(group: Group, finish: Finish, rows: (text: string) => number): Command[] {
  return [
    finish(
      group('calls', 'calls in progress: who talks to whom')
        .option('--all', 'the latest ended ones too')
        .option('--watch', 'again every second, until Ctrl-C')
        .option('--limit <n>', 'at most so many', rows, 50),
      async () => (await import('./commands/calls.ts')).calls,
      ['pbx calls', 'pbx calls --watch', 'pbx calls --all --limit 10'],
    ),
    finish(
      group('trace', 'all that happened in one call: events, documents, keys, prompts, timings')
        .argument('<callId>', 'the call, or a part of its id; "last" for the newest')
        .option('--delete', 'delete the trace instead, for good'),
      async () => (await import('./commands/trace.ts')).trace,
      ['pbx trace last', 'pbx trace CA019aa4c1', 'pbx trace last --json'],
    ),
  ]
}
