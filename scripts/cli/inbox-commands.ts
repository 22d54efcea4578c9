/** The commands of `pbx inbox`. */
import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { inboxIds } from './ids.ts'
import type { Finish, Group } from './speech-commands.ts'
import { deleteCommand } from './stored-commands.ts'

function cursor(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new InvalidArgumentError('A cursor is a number, as nextSince gave it.')
  return Number(text)
}

export function inboxCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const load = () => import('./commands/inbox.ts')
  const inbox = group('inbox', 'what was received: faxes, texts, voicemail')
  inbox.addCommand(
    finish(
      group('list', 'how much there is; with the name of a feed, its newest items')
        .addArgument(new Argument('[feed]', 'which').choices(['faxes', 'sms', 'voicemails']))
        .addOption(new Option('--since <cursor>', 'what a poller with this cursor would get').argParser(cursor))
        .option('--text', 'the words of texts and voicemails too: they are the patients’ own')
        .option('--limit <n>', 'at most so many', rows, 20),
      async () => (await load()).list,
      ['pbx inbox', 'pbx inbox faxes', 'pbx inbox sms --since 1772460391000 --json'],
    ),
    { isDefault: true },
  )
  inbox.addCommand(
    finish(
      group('save', 'copy the document of a fax, the recording of a voicemail, or a picture of a text')
        .argument('<id>', 'id of the item; of a picture its own')
        .argument('[file]', 'where to; by default a name in this folder'),
      async () => (await load()).save,
      ['pbx inbox save 019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8 fax.pdf'],
    ),
  )
  inbox.addCommand(deleteCommand(group, finish, { kind: 'inbox', ids: inboxIds }, 'pbx inbox delete', 'a received fax, text or voicemail'))
  return inbox
}
