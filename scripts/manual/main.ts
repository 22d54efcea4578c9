/**
 * Writes the manual pages of `pbx`, one for each command with all that it has inside, and the table by which shells complete its words
 * (scripts/deb/complete): node scripts/manual/main.ts FOLDER. All of it comes from the table of commands.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Argument, Command, Option } from 'commander'
import { program } from '../cli/run.ts'

const inside = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')

/** For roff: a backslash, a dash and a dot at the start of a line mean something else there. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
const bold = (text: string): string => `\\fB${roff(text)}\\fR`

const shown = (one: Argument): string => {
  const name = one.variadic ? `${one.name()}...` : one.name()
  return one.required ? `<${name}>` : `[${name}]`
}
const line = (path: string, command: Command): string =>
  `${bold(path)} ${roff([...command.registeredArguments.map(shown), command.options.length > 0 ? '[options]' : ''].join(' ').trim())}`

const described = (head: string, text: string): string => `.TP\n${head}\n${roff(text === '' ? '\u00a0' : text)}`

function body(path: string, command: Command): string[] {
  const facts = [
    ...command.registeredArguments.filter(({ description }) => description).map((one) => described(roff(shown(one)), one.description)),
    ...command.options.map((option: Option) => described(bold(option.flags), option.description)),
  ]
  return [`.SS ${path}`, line(path, command), '.PP', roff(command.description()), ...facts]
}

const everything = (path: string, command: Command): string[] => [
  ...body(path, command),
  ...inside(command).flatMap((one) => everything(`${path} ${one.name()}`, one)),
]

const page = (name: string, version: string, summary: string, rest: readonly string[]): string =>
  [`.TH ${name.toUpperCase()} 1 "" "pbxd ${version}" "User Commands"`, '.SH NAME', `${roff(name)} \\- ${roff(summary)}`, ...rest, ''].join(
    '\n',
  )

const exits = ['.SH EXIT STATUS', '0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.']
const files = [
  '.SH FILES',
  described('\\fI/etc/pbxd/pbxd.yaml\\fR', 'The configuration.'),
  described('\\fI/var/lib/pbxd\\fR', 'What was received, sent and recorded.'),
  described(
    '\\fI/usr/lib/pbxd/current/docs\\fR',
    'The documentation: field-guide.md and troubleshooting.md first. A browser finds it at /docs of the box.',
  ),
]

/** Text by the name of the page: pbx, pbx-fax, ... */
export function manualPages(): Map<string, string> {
  const pbx = program()
  const version = pbx.version() ?? ''
  const commands = inside(pbx).toSorted((a, b) => a.name().localeCompare(b.name(), 'en'))
  const index = commands.map((one) => described(`${bold(`pbx ${one.name()}`)}`, one.description()))
  const own = [
    ...[
      '.SH SYNOPSIS',
      `${bold('pbx')} \\fIcommand\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]`,
      '.SH DESCRIPTION',
      roff(pbx.description()),
      '.PP',
    ],
    'Somebody who is not root must be a member of the group \\fBpbx\\fR. Each command has a page of its own, \\fBpbx\\-\\fR\\fIcommand\\fR(1), and \\fB\\-\\-help\\fR.',
    ...['.SH COMMANDS', ...index, ...exits, ...files, '.SH SEE ALSO', '\\fBjournalctl\\fR(1), \\fBsystemctl\\fR(1)'],
  ]
  return new Map([
    ['pbx', page('pbx', version, 'look after pbxd, the telephone system of a small office', own)],
    ...commands.map((one): [string, string] => {
      const path = `pbx ${one.name()}`
      const rest = ['.SH COMMANDS', ...everything(path, one), ...exits, '.SH SEE ALSO', '\\fBpbx\\fR(1)']
      return [`pbx-${one.name()}`, page(`pbx-${one.name()}`, version, one.description(), rest)]
    }),
  ])
}

/** Where the box is asked for what an argument or the value of an option may be: a command, and a member of its JSON. */
const sources: Readonly<Record<string, readonly [command: string, member: string]>> = {
  faxId: ['fax list', 'faxId'],
  messageId: ['sms list', 'messageId'],
  reminderId: ['reminders list', 'reminderId'],
  eventId: ['callbacks list', 'eventId'],
  callId: ['history list', 'callId'],
  extension: ['extensions', 'number'],
  ext: ['extensions', 'number'],
  'pbx extensions number': ['extensions', 'number'],
  'pbx simulate inbound --from': ['extensions', 'number'],
  'pbx queue name': ['queue', 'id'],
  'pbx token revoke name': ['token list', 'name'],
  trunk: ['lines', 'id'],
}

type Row = readonly [kind: 'word' | 'argument' | 'value', path: string, word: string, text: string]

function rowsOf(path: string, command: Command): Row[] {
  const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')
  const from = (name: string, choices: readonly string[] | undefined): string => {
    if (choices !== undefined) return `one of ${choices.join(' ')}`
    const source = sources[`${path} ${name}`] ?? sources[name]
    return source === undefined ? 'file' : `ask ${source[1]} ${source[0]}`
  }
  const valueName = (option: Option): string => /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? ''
  return [
    ...inside(command).flatMap((one): Row[] => [
      ['word', path, one.name(), plain(one.description())],
      ...one.aliases().map((alias): Row => ['word', path, alias, plain(one.description())]),
    ]),
    ...command.options.map((option): Row => ['word', path, option.long ?? option.short!, plain(option.description)]),
    ...command.registeredArguments.map((one): Row => ['argument', path, one.name(), from(one.name(), one.argChoices)]),
    ...command.options
      .filter(({ required, optional }) => required || optional)
      .map((option): Row => {
        const choices = option.argChoices
        const byName = sources[`${path} ${option.long!}`]
        return ['value', path, option.long!, byName === undefined ? from(valueName(option), choices) : `ask ${byName[1]} ${byName[0]}`]
      }),
    ...inside(command).flatMap((one) => rowsOf(`${path} ${one.name()}`, one)),
  ]
}

/** Rows of four columns with tabs between. */
export const completionTable = (): string =>
  rowsOf('pbx', program())
    .map((row) => `${row.join('\t')}\n`)
    .join('')

if (import.meta.main) {
  const folder = process.argv[2]!
  mkdirSync(join(folder, 'man1'), { recursive: true })
  for (const [name, text] of manualPages()) writeFileSync(join(folder, 'man1', `${name}.1.gz`), gzipSync(text, { level: 9 }))
  writeFileSync(join(folder, 'completion.tsv'), completionTable())
}
