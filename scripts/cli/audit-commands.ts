/** The commands of `pbx audit`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function auditCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const load = () => import('./commands/audit.ts')
  const audit = group('audit', 'who did what: the audit trail')
  const chosen = (command: Command): Command =>
    command
      .option('--since <time>', 'from then on: 2026-03-02, 2026-03-02T14:05Z')
      .option('--actor <name>', 'of this token or user')
      .option('--deed <deed>', 'such as inbox.media; fax for all about faxes')
      .option('--object <id>', 'about this')
  audit.addCommand(
    finish(
      chosen(group('list', 'deeds, newest first')).option('--limit <n>', 'at most so many', rows, 50),
      async () => (await load()).list,
      ['pbx audit list --actor booking-system --since 2026-03-02', 'pbx audit list --deed recording'],
    ),
  )
  audit.addCommand(
    finish(
      group('verify', 'look for rows that were changed, removed, put in or moved; exit 1 when there are some').option(
        '--known <row>',
        'number and hash of a row that was noted down before (1234:8f3a...): finds a trail that was written anew',
      ),
      async () => (await load()).verify,
      ['pbx audit verify', 'pbx audit verify --json'],
    ),
  )
  audit.addCommand(
    finish(
      chosen(group('export', 'all of it as JSON lines, oldest first')).requiredOption('--out <file>', 'a file that is not there yet'),
      async () => (await load()).exportTrail,
      ['pbx audit export --out audit.jsonl', 'pbx audit export --since 2026-01-01 --out audit-2026.jsonl'],
    ),
  )
  return audit
}
