/** The commands of `pbx config`. */
import { type Command, InvalidArgumentError } from 'commander'
import { finish, group, late } from '../command.ts'

export function configCommand(): Command {
  const config = group('config', 'check the configuration, change it without interrupting calls, or go back')
  for (const command of [...changeCommands(), ...lookCommands(), ...fileCommands()]) config.addCommand(command)
  return config
}

/** Options of how a change goes about. */
function changing(command: Command): Command {
  return command
    .option('--yes', 'do not ask for confirmation')
    .option('--confirm', 'confirm in advance, even when the change affects how you reach the box')
    .option('--now', 'if a restart is needed, do not wait for calls to end')
    .option('--wait <minutes>', 'if a restart is needed, how long to wait for calls to end (default: 10)', minutes)
}

function changeCommands(): Command[] {
  return [
    finish(
      changing(group('apply', 'check a configuration, show the changes and apply them; roll back automatically if that causes a fault'))
        .argument('[file]', 'the new configuration, "-" for standard input (default: the daemon\'s configuration file)')
        .option('--check', 'only check, and show the changes')
        .option('--note <text>', 'the reason, for the history'),
      late(async () => (await import('../config/change.ts')).apply),
      ['pbx config apply', 'pbx config apply new.yaml --note "room 4"', 'ssh box cat pbxd.yaml | pbx config apply - --yes'],
    ),
    finish(
      group('confirm', 'keep the change that waits for confirmation'),
      late(async () => (await import('../config/change.ts')).confirm),
      ['pbx config confirm'],
    ),
    finish(
      changing(group('revert', 'undo the change that waits for confirmation, or go back to an earlier revision')).argument(
        '[revision]',
        'default: the previous revision',
        revision,
      ),
      late(async () => (await import('../config/change.ts')).revert),
      ['pbx config revert', 'pbx config revert 12 --yes'],
    ),
    finish(
      changing(group('edit', 'edit the configuration file with $EDITOR, check it and apply it')).option(
        '--note <text>',
        'the reason, for the history',
      ),
      late(async () => (await import('../config/edit.ts')).edit),
      ['pbx config edit', 'EDITOR=nano pbx config edit --note "room 4"'],
    ),
  ]
}

function lookCommands(): Command[] {
  return [
    finish(
      group('diff', 'show the differences key by key, without secrets')
        .argument('[from]', "a file, or the number of a revision (default: the daemon's configuration file)")
        .argument('[to]', 'the number of another revision (default: the configuration in use)'),
      late(async () => (await import('../config/change.ts')).diff),
      ['pbx config diff', 'pbx config diff new.yaml', 'pbx config diff 11 12'],
    ),
    finish(
      group('history', 'list earlier configurations, newest first'),
      late(async () => (await import('../config/change.ts')).history),
      ['pbx config history'],
    ),
  ]
}

function fileCommands(): Command[] {
  return [
    finish(
      group('check', 'list every fault as file:line:column: path: text; the running daemon checks the file as its own user')
        .argument('[file]', 'default: $PBXD_CONFIG, else /etc/pbxd/pbxd.yaml')
        .option('--here', 'check it here as this user, without the daemon'),
      late(async () => (await import('../config/file.ts')).check),
      ['pbx config check pbxd.yaml', 'pbx config check --json /etc/pbxd/pbxd.yaml'],
    ),
    finish(
      group('write', 'write what was applied last, such as on a page, into the file that the service may not write').option(
        '--unattended',
        'leave to a person what root itself acts upon: backup, storage, control, names of files (for pbxd-config.service)',
      ),
      late(async () => (await import('../config/write.ts')).write),
      ['sudo pbx config write'],
    ),
    finish(
      group('init', 'write a first configuration, with random passwords and a comment on each section')
        .argument('[file]', 'the new file; - for standard output', 'pbxd.yaml')
        .option('--name <name>', 'name of the site', 'My site')
        .option('--country <code>', 'two letters, such as US or GB', 'US')
        .option('--time-zone <zone>', "such as America/New_York (default: this machine's time zone)"),
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
  if (!(n >= 0 && n <= 1440)) throw new InvalidArgumentError('Give minutes from 0 to 1440.')
  return n
}

function revision(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('Give the number of a revision: see "pbx config history".')
  return Number(text)
}
