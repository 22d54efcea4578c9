/** The table of all commands of `pbx`. What a command needs beyond the client and the tables is loaded when it runs, so that `pbx` starts fast. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { root } from './client.ts'
import { helpLayout } from './command.ts'
import { alarmsCommand } from './commands/alarms.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommands } from './commands/backup.ts'
import { callbacksCommand } from './commands/callbacks.ts'
import { callCommands } from './commands/calls.ts'
import { configCommand } from './commands/config.ts'
import { crmCommand } from './commands/crm.ts'
import { doctorCommand } from './commands/doctor.ts'
import { emergencyCommand } from './commands/emergency.ts'
import { eventsCommand } from './commands/events.ts'
import { extensionsCommand } from './commands/extensions.ts'
import { faxCommand } from './commands/fax.ts'
import { historyCommand } from './commands/history.ts'
import { hoursCommand } from './commands/hours.ts'
import { inboxCommand } from './commands/inbox.ts'
import { limitsCommand } from './commands/limits.ts'
import { linesCommand } from './commands/lines.ts'
import { mailCommand } from './commands/mail.ts'
import { mailboxCommand } from './commands/mailbox.ts'
import { modelsCommand } from './commands/models.ts'
import { modemCommand } from './commands/modem.ts'
import { phonesCommand } from './commands/phones.ts'
import { queueCommand } from './commands/queue.ts'
import { recordingsCommand } from './commands/recordings.ts'
import { remindersCommand } from './commands/reminders.ts'
import { setupCommand } from './commands/setup.ts'
import { signCommands } from './commands/sign.ts'
import { simulateCommand } from './commands/simulate.ts'
import { smsCommand } from './commands/sms.ts'
import { speechCommands } from './commands/speech.ts'
import { statusCommand } from './commands/status.ts'
import { tokenCommand } from './commands/token.ts'
import { upgradeCommands } from './commands/upgrade.ts'
import { whereCommand } from './commands/where.ts'

const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string }

/** In the order of `pbx --help`. */
const commands = (): Command[] => [
  statusCommand(),
  ...callCommands(),
  historyCommand(),
  linesCommand(),
  callbacksCommand(),
  alarmsCommand(),
  auditCommand(),
  ...backupCommands(),
  ...upgradeCommands(),
  crmCommand(),
  eventsCommand(),
  faxCommand(),
  inboxCommand(),
  limitsCommand(),
  mailCommand(),
  emergencyCommand(),
  extensionsCommand(),
  phonesCommand(),
  hoursCommand(),
  whereCommand(),
  mailboxCommand(),
  modemCommand(),
  queueCommand(),
  setupCommand(async () => [(await import('./setup/mail.ts')).mailSetup]),
  remindersCommand(),
  smsCommand(),
  recordingsCommand(),
  tokenCommand(),
  configCommand(),
  ...speechCommands(),
  modelsCommand(),
  simulateCommand(),
  doctorCommand(),
  ...signCommands(),
]

export function program(): Command {
  const pbx = new Command('pbx')
    .description("The technician's program for pbxd, the telephone system. It talks to the running daemon over its control socket.")
    .version(version)
    .configureHelp({ minWidthToWrap: helpLayout.minWidthToWrap })
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.\nEvery command has --json and --help.')
    .showHelpAfterError('(see pbx --help)')
    // "pbx speech reload --json": the option is the inner command's, though the outer one has it as well.
    .enablePositionalOptions()
  for (const command of commands()) pbx.addCommand(command)
  return pbx
}
