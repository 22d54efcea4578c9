/** The table of all commands of `pbx`, each loaded only when it is asked for, so that the program starts fast. */
import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { exitCode, root } from './client.ts'
import { alarmsCommand } from './alarm-commands.ts'
import { auditCommand } from './audit-commands.ts'
import { backupCommands } from './backup-commands.ts'
import { inboxCommand } from './inbox-commands.ts'
import { limitsCommand } from './limit-commands.ts'
import { lineCommand } from './line-commands.ts'
import { mailCommand } from './mail-commands.ts'
import { modelsCommand } from './model-commands.ts'
import { emergencyCommand } from './emergency-commands.ts'
import { historyCommand } from './history-commands.ts'
import { eventsCommand } from './event-commands.ts'
import { extensionsCommand } from './extension-commands.ts'
import { configCommand } from './config-commands.ts'
import { callCommands } from './call-commands.ts'
import { callbacksCommand } from './callback-commands.ts'
import { crmCommand } from './crm-commands.ts'
import { whereCommand } from './where-commands.ts'
import { hoursCommand } from './hours-commands.ts'
import { mailboxCommand } from './mailbox-commands.ts'
import { modemCommand } from './modem-commands.ts'
import { commandLines } from './columns.ts'
import { faxCommand } from './fax-commands.ts'
import { rows } from './numbers.ts'
import { queueCommand } from './queue-commands.ts'
import { reminderCommand } from './reminder-commands.ts'
import { smsCommand } from './sms-commands.ts'
import type { Context } from './context.ts'
import { recordingsCommand } from './stored-commands.ts'
import { speechCommands } from './speech-commands.ts'
import { phonesCommand } from './phone-commands.ts'
import { setupCommand } from './setup-commands.ts'
import { signCommands } from './sign-commands.ts'
import { simulateCommand } from './simulate-commands.ts'
import { tokenCommand } from './token-commands.ts'
import { upgradeCommands } from './upgrade-commands.ts'

const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string }

interface Common {
  json?: true
  socket?: string
  config?: string
}

/** Commander wraps no text that has less room than that beside its names; an example is indented by two. */
const helpLayout = { showGlobalOptions: false, minWidthToWrap: 20 }
const exampleWidth = (process.stdout.columns || 80) - 2

type Run = (context: Context, ...args: never[]) => Promise<number | void>

/** What came of the command that was run. */
export const outcome = { code: exitCode.done as number, asJson: false }

/** Options every command has, a handler that is loaded late, and its examples in the help. */
function finish(command: Command, load: () => Promise<Run>, examples: readonly string[]): Command {
  command
    .addOption(new Option('--json', 'print the answer as JSON'))
    .addOption(new Option('--socket <file>', "the daemon's control socket").env('PBXD_SOCKET'))
    .addOption(new Option('--config <file>', 'the configuration that names the socket').env('PBXD_CONFIG'))
    .addHelpText(
      'after',
      `\nExamples:\n${examples
        .flatMap((line) => commandLines(line, exampleWidth))
        .map((line) => `  ${line}`)
        .join('\n')}`,
    )
  command.action(async (...args: unknown[]) => {
    args.pop() // commander's own object comes last, after the options
    const options = args.pop() as Common
    outcome.asJson = options.json === true
    const run = await load()
    const { contextOf } = await import('./context.ts')
    outcome.code = (await run(contextOf(options), ...([...args, options] as never[]))) ?? exitCode.done
  })
  return command
}

const group = (name: string, summary: string): Command =>
  new Command(name).description(summary).configureHelp(helpLayout).showHelpAfterError('(see --help)')

export function program(): Command {
  const pbx = new Command('pbx')
    .description("The technician's program of pbxd, the telephone system: asks the running daemon over its control socket.")
    .version(version)
    .configureHelp({ minWidthToWrap: helpLayout.minWidthToWrap })
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.\nEvery command has --json and --help.')
    .showHelpAfterError('(see pbx --help)')
    // "pbx speech reload --json": the option is the inner command's, though the outer one has it as well.
    .enablePositionalOptions()

  pbx.addCommand(
    finish(
      group('status', 'one screen: parts, lines, calls, queues, disk, clock, and each warning with what mends it').option(
        '--check',
        'exit 1 when something is wrong, for scripts and timers',
      ),
      async () => (await import('./commands/status.ts')).status,
      ['pbx status', 'pbx status --check || echo look at the telephones', 'pbx status --json | jq .warnings'],
    ),
  )
  for (const command of callCommands(group, finish, rows)) pbx.addCommand(command)
  pbx.addCommand(historyCommand(group, finish, rows))
  pbx.addCommand(lineCommand(group, finish))

  pbx.addCommand(callbacksCommand(group, finish, rows))
  pbx.addCommand(alarmsCommand(group, finish))
  pbx.addCommand(auditCommand(group, finish, rows))
  for (const command of backupCommands(group, finish)) pbx.addCommand(command)
  for (const command of upgradeCommands(group, finish)) pbx.addCommand(command)
  pbx.addCommand(crmCommand(group, finish))
  pbx.addCommand(eventsCommand(group, finish, rows))
  pbx.addCommand(faxCommand(group, finish, rows))
  pbx.addCommand(inboxCommand(group, finish, rows))
  pbx.addCommand(limitsCommand(group, finish))
  pbx.addCommand(mailCommand(group, finish, rows))
  pbx.addCommand(emergencyCommand(group, finish))
  pbx.addCommand(extensionsCommand(group, finish))
  pbx.addCommand(phonesCommand(group, finish))
  pbx.addCommand(hoursCommand(group, finish))
  pbx.addCommand(whereCommand(group, finish))
  pbx.addCommand(mailboxCommand(group, finish))
  pbx.addCommand(modemCommand(group, finish))
  pbx.addCommand(queueCommand(group, finish))
  pbx.addCommand(setupCommand(group, finish, async () => [(await import('./mail-setup.ts')).mailSetup]))
  pbx.addCommand(reminderCommand(group, finish))
  pbx.addCommand(smsCommand(group, finish, rows))
  pbx.addCommand(recordingsCommand(group, finish, rows))

  pbx.addCommand(tokenCommand(group, finish))
  pbx.addCommand(configCommand(group, finish))

  for (const command of speechCommands(group, finish)) pbx.addCommand(command)
  pbx.addCommand(modelsCommand(group, finish))

  pbx.addCommand(simulateCommand(group, finish))
  pbx.addCommand(
    finish(
      group('doctor', 'look for what is wrong with this machine and say how to mend it; exit 1 when something fails'),
      async () => (await import('./commands/doctor.ts')).doctor,
      ['pbx doctor', 'pbx doctor --json | jq \'.[] | select(.level != "ok")\''],
    ),
  )
  for (const command of signCommands(group, finish)) pbx.addCommand(command)
  return pbx
}
