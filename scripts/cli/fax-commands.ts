/** The commands of `pbx fax`. */
import { Option, type Command } from 'commander'
import { faxStates } from '../../daemon/schema/states.ts'
import { idsIn } from './ids.ts'
import type { Finish, Group } from './speech-commands.ts'
import { deleteCommand } from './stored-commands.ts'

export function faxCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const fax = group('fax', 'faxes that are sent')
  const id = ['<faxId>', 'the fax, or a part of its id that no other has; "last" for the newest'] as const
  fax.addCommand(
    finish(
      group('send', 'send a PDF and show how it goes; exit 1 when it does not get through')
        .argument('<file>', 'the PDF')
        .requiredOption('--to <number>', 'where to')
        .option('--cover', 'put a cover page in front')
        .option('--cover-to <name>', 'recipient on the cover page')
        .option('--cover-from <name>', 'sender on the cover page')
        .option('--subject <text>', 'subject on the cover page')
        .addOption(new Option('--priority <priority>', 'which fax goes first').choices(['low', 'normal', 'high']))
        .option('--portfolio', 'of a PDF portfolio, fax every PDF inside, by name')
        .option('--no-wait', 'only hand it to the daemon'),
      async () => (await import('./commands/fax.ts')).send,
      ['pbx fax send letter.pdf --to +15551230001', 'pbx fax send form.pdf --to 555-123-0001 --cover-to "Dr. Hay" --no-wait'],
    ),
  )
  fax.addCommand(
    finish(
      group('list', 'faxes, newest first')
        .addOption(new Option('--state <state>', 'only these').choices(faxStates))
        .option('--limit <n>', 'at most so many', rows, 50),
      async () => (await import('./commands/fax.ts')).list,
      ['pbx fax list', 'pbx fax list --state failed'],
    ),
  )
  fax.addCommand(
    finish(group('show', 'one fax with the calls made for it').argument(...id), async () => (await import('./commands/fax.ts')).show, [
      'pbx fax show last',
    ]),
  )
  fax.addCommand(
    finish(
      group('retry', 'call again now; one that is over is sent once more, as a new fax').argument(...id),
      async () => (await import('./commands/fax.ts')).retry,
      ['pbx fax retry last'],
    ),
  )
  fax.addCommand(
    finish(group('cancel', 'give a fax up').argument(...id), async () => (await import('./commands/fax.ts')).cancel, [
      'pbx fax cancel last',
    ]),
  )
  fax.addCommand(
    deleteCommand(group, finish, { kind: 'fax', ids: idsIn('/api/fax', 'faxId') }, 'pbx fax delete', 'a fax that is over and its document'),
  )
  return fax
}
