/** The commands of `pbx config`. */
import { type Command, InvalidArgumentError } from 'commander'
import { finish, group, late } from '../command.ts'

export function configCommand(): Command {
  const config = group('config', 'the configuration: check it, change it while calls go on, go back')
  for (const command of [...changeCommands(), ...lookCommands(), ...fileCommands()]) config.addCommand(command)
  return config
}

/** Options of how a change goes about. */
function changing(command: Command): Command {
  return command
    .option('--yes', 'do not ask')
    .option('--confirm', 'let it stand without a confirmation, also where the way to the box changes')
    .option('--now', 'where a restart is needed, do not wait for calls to end')
    .option('--wait <minutes>', 'where a restart is needed, how long to wait for calls to end (default: 10)', minutes)
}

function changeCommands(): Command[] {
  return [
    finish(
      changing(group('apply', 'check, show what changes, put it to use, and go back by itself where that does harm'))
        .argument('[file]', 'the new configuration, "-" for standard input; by default what the file of the daemon says now')
        .option('--check', 'only check and show')
        .option('--note <text>', 'why, for the history'),
      late(async () => (await import('../config/change.ts')).apply),
      ['pbx config apply', 'pbx config apply new.yaml --note "room 4"', 'ssh box cat pbxd.yaml | pbx config apply - --yes'],
    ),
    finish(
      group('confirm', 'let the change stand that waits for it'),
      late(async () => (await import('../config/change.ts')).confirm),
      ['pbx config confirm'],
    ),
    finish(
      changing(group('revert', 'take back the change that waits, or go back to an earlier revision')).argument(
        '[revision]',
        'default: the one before',
        revision,
      ),
      late(async () => (await import('../config/change.ts')).revert),
      ['pbx config revert', 'pbx config revert 12 --yes'],
    ),
    finish(
      changing(group('edit', 'edit the file with $EDITOR, and apply it when it is good')).option('--note <text>', 'why, for the history'),
      late(async () => (await import('../config/edit.ts')).edit),
      ['pbx config edit', 'EDITOR=nano pbx config edit --note "room 4"'],
    ),
  ]
}

function lookCommands(): Command[] {
  return [
    finish(
      group('diff', 'what is otherwise, key by key, without secrets')
        .argument('[from]', 'a file, or the number of a revision; by default the file of the daemon, against what is in use')
        .argument('[to]', 'the number of another revision; by default what is in use'),
      late(async () => (await import('../config/change.ts')).diff),
      ['pbx config diff', 'pbx config diff new.yaml', 'pbx config diff 11 12'],
    ),
    finish(
      group('history', 'the configurations that were in use, newest first'),
      late(async () => (await import('../config/change.ts')).history),
      ['pbx config history'],
    ),
  ]
}

function fileCommands(): Command[] {
  return [
    finish(
      group('check', 'every fault as file:line:column: path: text; asks the daemon that runs on the file, which sees it as its own user')
        .argument('[file]', 'default: $PBXD_CONFIG, else /etc/pbxd/pbxd.yaml')
        .option('--here', 'do not ask the daemon: what this program thinks of it, as this user'),
      late(async () => (await import('../config/file.ts')).check),
      ['pbx config check pbxd.yaml', 'pbx config check --json /etc/pbxd/pbxd.yaml'],
    ),
    finish(
      group('init', 'write a first configuration, with made-up passwords and a comment on each section')
        .argument('[file]', 'the file, which must not be there yet; - for standard output', 'pbxd.yaml')
        .option('--name <name>', 'name of the site', 'My site')
        .option('--country <code>', 'two letters, such as US or GB', 'US')
        .option('--time-zone <zone>', 'such as America/New_York (default: that of this machine)'),
      late(async () => (await import('../config/init.ts')).init),
      ['pbx config init', 'pbx config init /etc/pbxd/pbxd.yaml --name "Riverside Clinic" --time-zone America/New_York'],
    ),
    finish(
      group('schema', 'print the JSON Schema of the configuration, for editors'),
      late(async () => (await import('../config/file.ts')).schema),
      ['pbx config schema > pbxd.schema.json    # and in the file: # yaml-language-server: $schema=./pbxd.schema.json'],
    ),
  ]
}

function minutes(text: string): number {
  const n = Number(text)
  if (!(n >= 0 && n <= 1440)) throw new InvalidArgumentError('Minutes from 0 to 1440 are wanted.')
  return n
}

function revision(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('The number of a revision is wanted: see "pbx config history".')
  return Number(text)
}
