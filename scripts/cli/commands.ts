/** Written by npm run generate: what the files of commands/ hold. */
import type { Command } from 'commander'
import { alarmsCommand } from './commands/alarms.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommands } from './commands/backup.ts'
import { callbacksCommand } from './commands/callbacks.ts'
import { callCommands } from './commands/calls.ts'
import { certificateCommand } from './commands/certificate.ts'
import { clusterCommand } from './commands/cluster.ts'
import { configCommand } from './commands/config.ts'
import { consoleCommand } from './commands/console.ts'
import { crmCommand } from './commands/crm.ts'
import { doctorCommand } from './commands/doctor.ts'
import { drainCommand } from './commands/drain.ts'
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
import { pairCommand } from './commands/pair.ts'
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

export const commands: readonly (() => Command | Command[])[] = [
  alarmsCommand,
  auditCommand,
  backupCommands,
  callbacksCommand,
  callCommands,
  certificateCommand,
  clusterCommand,
  configCommand,
  consoleCommand,
  crmCommand,
  doctorCommand,
  drainCommand,
  emergencyCommand,
  eventsCommand,
  extensionsCommand,
  faxCommand,
  historyCommand,
  hoursCommand,
  inboxCommand,
  limitsCommand,
  linesCommand,
  mailCommand,
  mailboxCommand,
  modelsCommand,
  modemCommand,
  pairCommand,
  phonesCommand,
  queueCommand,
  recordingsCommand,
  remindersCommand,
  setupCommand,
  signCommands,
  simulateCommand,
  smsCommand,
  speechCommands,
  statusCommand,
  tokenCommand,
  upgradeCommands,
  whereCommand,
]
