/**
 * The `pbx` program: one table of commands, each loaded only when it is asked for, so that the program starts fast.
 * Exit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.
 */
import { readFileSync } from 'node:fs'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { callbackStates, faxStates } from '../../daemon/schema/states.ts'
import { CommandError, exitCode, root } from './client.ts'
import { alarmsCommand } from './alarm-commands.ts'
import { auditCommand } from './audit-commands.ts'
import { backupCommands } from './backup-commands.ts'
import { idsIn } from './ids.ts'
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
import { crmCommand } from './crm-commands.ts'
import { whereCommand } from './where-commands.ts'
import { hoursCommand } from './hours-commands.ts'
import { mailboxCommand } from './mailbox-commands.ts'
import { modemCommand } from './modem-commands.ts'
import { commandLines } from './columns.ts'
import { fitted, red } from './output.ts'
import { queueCommand } from './queue-commands.ts'
import { reminderCommand } from './reminder-commands.ts'
import { smsCommand } from './sms-commands.ts'
import type { Context } from './context.ts'
import { deleteCommand, recordingsCommand } from './stored-commands.ts'
import { speechCommands } from './speech-commands.ts'
import { phonesCommand } from './phone-commands.ts'
import { setupCommand } from './setup-commands.ts'
import { upgradeCommands } from './upgrade-commands.ts'

// `pbx calls | head` ends before everything is written; that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

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
let code: number = exitCode.done
let asJson = process.argv.includes('--json')

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
    asJson = options.json === true
    const run = await load()
    const { contextOf } = await import('./context.ts')
    code = (await run(contextOf(options), ...([...args, options] as never[]))) ?? exitCode.done
  })
  return command
}

const group = (name: string, summary: string): Command =>
  new Command(name).description(summary).configureHelp(helpLayout).showHelpAfterError('(see --help)')

function keys(text: string): string[] {
  const groups = text.split(',').filter((part) => part !== '')
  if (groups.some((part) => !/^[0-9*#A-D]{1,32}$/.test(part)))
    throw new InvalidArgumentError('Keys are 0-9 * # A-D; a comma goes to the next prompt.')
  return groups
}

function positive(text: string): number {
  const n = Number(text)
  if (!(n > 0)) throw new InvalidArgumentError('A number above zero is wanted.')
  return n
}

function spanInDays(text: string): number {
  const parts = /^(\d{1,5})([dh])$/.exec(text)
  const days = Number(parts?.[1]) / (parts?.[2] === 'h' ? 24 : 1)
  if (parts === null || !(days > 0 && days <= 3660))
    throw new InvalidArgumentError('A time such as 90d or 12h is wanted, 10 years at most.')
  return days
}

function rows(text: string): number {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1 || n > 1000) throw new InvalidArgumentError('A whole number from 1 to 1000 is wanted.')
  return n
}

function program(): Command {
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
  pbx.addCommand(
    finish(
      group('calls', 'calls in progress: who talks to whom')
        .option('--all', 'the latest ended ones too')
        .option('--watch', 'again every second, until Ctrl-C')
        .option('--limit <n>', 'at most so many', rows, 50),
      async () => (await import('./commands/calls.ts')).calls,
      ['pbx calls', 'pbx calls --watch', 'pbx calls --all --limit 10'],
    ),
  )
  pbx.addCommand(
    finish(
      group('trace', 'all that happened in one call: events, documents, keys, prompts, timings')
        .argument('<callId>', 'the call, or a part of its id; "last" for the newest')
        .option('--delete', 'delete the trace instead, for good'),
      async () => (await import('./commands/trace.ts')).trace,
      ['pbx trace last', 'pbx trace CA019aa4c1', 'pbx trace last --json'],
    ),
  )
  pbx.addCommand(historyCommand(group, finish, rows))
  pbx.addCommand(lineCommand(group, finish))

  const callbacks = group('callbacks', 'what was, or could not be, told to the applications')
  callbacks.addCommand(
    finish(
      group('list', 'callbacks that wait or were given up')
        .addOption(new Option('--state <state>', 'only these').choices(callbackStates))
        .option('--limit <n>', 'at most so many', rows, 50),
      async () => (await import('./commands/callbacks.ts')).list,
      ['pbx callbacks list', 'pbx callbacks list --state dead'],
    ),
  )
  callbacks.addCommand(
    finish(group('show', 'one callback with its body').argument('<eventId>'), async () => (await import('./commands/callbacks.ts')).show, [
      'pbx callbacks show 019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55',
    ]),
  )
  callbacks.addCommand(
    finish(
      group('retry', 'send again now').argument('[eventId]').option('--dead', 'all that were given up'),
      async () => (await import('./commands/callbacks.ts')).retry,
      ['pbx callbacks retry 019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55', 'pbx callbacks retry --dead'],
    ),
  )
  pbx.addCommand(callbacks)

  pbx.addCommand(alarmsCommand(group, finish))
  pbx.addCommand(auditCommand(group, finish, rows))
  for (const command of backupCommands(group, finish)) pbx.addCommand(command)
  for (const command of upgradeCommands(group, finish)) pbx.addCommand(command)
  pbx.addCommand(crmCommand(group, finish))
  pbx.addCommand(eventsCommand(group, finish, rows))
  pbx.addCommand(faxCommands())
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

  const token = group('token', 'access tokens of the HTTP interface')
  token.addCommand(
    finish(
      group('create', 'make a token and print it, once')
        .requiredOption('--name <name>', 'whom it is for')
        .option('--scope <scope...>', 'what it opens: send, inbox, voice, crm, admin (default: all, or what fits the restriction)')
        .option('--endpoint <id...>', 'only calls of these voice endpoints')
        .option('--mailbox <ext...>', 'only voicemail of these mailboxes')
        .option('--expires <time>', 'ends by itself: 90d, 12h', spanInDays),
      async () => (await import('./commands/token.ts')).create,
      [
        'pbx token create --name booking-system',
        'pbx token create --name dashboard --scope voice inbox --expires 90d',
        'pbx token create --name desk --endpoint reception --mailbox 101',
      ],
    ),
  )
  token.addCommand(
    finish(
      group('list', 'names, scopes, restrictions, last use and end; the tokens themselves are not kept'),
      async () => (await import('./commands/token.ts')).list,
      ['pbx token list'],
    ),
  )
  token.addCommand(
    finish(group('revoke', 'end a token').argument('<name>'), async () => (await import('./commands/token.ts')).revoke, [
      'pbx token revoke booking-system',
    ]),
  )
  pbx.addCommand(token)

  pbx.addCommand(configCommand(group, finish))

  for (const command of speechCommands(group, finish)) pbx.addCommand(command)
  pbx.addCommand(modelsCommand(group, finish))

  const simulate = group('simulate', 'calls without a phone')
  simulate.addCommand(
    finish(
      group('inbound', 'a call from outside through the whole voice path; prints each event and document as they happen')
        .requiredOption('--from <number>', 'the caller')
        .requiredOption('--to <number>', 'the number that was dialled')
        .option('--keys <keys>', 'keys the caller presses, one group for each prompt: 1,2,12#', keys)
        .option('--say <text>', 'what the caller says when asked to speak')
        .option('--play <file>', 'a WAV file that the caller plays once the call is answered, to a stream for example')
        .option('--save <file>', 'a WAV file of what the caller hears')
        .option('--speed <factor>', 'how much faster than real time', positive, 1),
      async () => (await import('./commands/simulate.ts')).inbound,
      [
        'pbx simulate inbound --from +15551230001 --to +15550001000',
        'pbx simulate inbound --from 5551230001 --to 5550001000 --keys 1,2 --speed 20',
        'pbx simulate inbound --from 101 --to 700 --play question.wav --save answer.wav',
      ],
    ),
  )
  pbx.addCommand(simulate)

  pbx.addCommand(
    finish(
      group('doctor', 'look for what is wrong with this machine and say how to mend it; exit 1 when something fails'),
      async () => (await import('./commands/doctor.ts')).doctor,
      ['pbx doctor', 'pbx doctor --json | jq \'.[] | select(.level != "ok")\''],
    ),
  )
  pbx.addCommand(
    finish(
      group('sign', 'headers of a signed request: body from a file or standard input')
        .argument('[file]', 'the body', '-')
        .addOption(new Option('--secret <secret>', 'the shared secret').env('PBX_SECRET').makeOptionMandatory())
        .option('--timestamp <seconds>', 'Unix seconds (default: now)', positive),
      async () => (await import('./commands/sign.ts')).sign,
      [
        'pbx sign --secret whsec_example body.json',
        'printf \'{"event":"fax.sent"}\' | pbx sign --secret whsec_example --timestamp 1772460311',
      ],
    ),
  )
  pbx.addCommand(
    finish(
      group('verify', 'check the signature of a request; exit 1 when it is not right')
        .argument('[file]', 'the body', '-')
        .addOption(new Option('--secret <secret>', 'the shared secret').env('PBX_SECRET').makeOptionMandatory())
        .requiredOption('--timestamp <seconds>', 'value of X-Service-Timestamp')
        .requiredOption('--signature <value>', 'value of X-Service-Signature'),
      async () => (await import('./commands/sign.ts')).verify,
      ['pbx verify --secret whsec_example --timestamp 1772460311 --signature sha256=9186... body.json'],
    ),
  )
  return pbx
}

function faxCommands(): Command {
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

/** Errors of usage must leave with 2, which commander would not do by itself. */
function throwOnExit(command: Command): void {
  command.exitOverride()
  for (const inner of command.commands) throwOnExit(inner)
}

try {
  const pbx = program()
  throwOnExit(pbx)
  await pbx.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    code = error.exitCode === 0 ? exitCode.done : exitCode.usage
  } else if (error instanceof CommandError) {
    code = error.exit
    if (asJson)
      process.stdout.write(`${JSON.stringify({ error: error.message, code: error.code, ...(error.fix ? { fix: error.fix } : {}) })}\n`)
    else process.stderr.write(`${fitted(red(`pbx: ${error.message}`))}\n${error.fix ? `${fitted(`  try: ${error.fix}`)}\n` : ''}`)
  } else {
    code = exitCode.failed
    process.stderr.write(`${red('pbx: ')}${(error as Error).stack ?? String(error)}\n`)
  }
}
process.exitCode = code
