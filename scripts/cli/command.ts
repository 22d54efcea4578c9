/** What each command of `pbx` is made of: a name with its help, the options that all commands have, examples, and a handler. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { Client, exitCode, findSocket, type SocketChoice } from './client.ts'
import { commandLines } from './columns.ts'

/** What a handler is given first: the client, made when it is first needed, and whether the answer is for a program. */
export interface Context {
  readonly json: boolean
  readonly choice: SocketChoice
  client(): Promise<Client>
}

/** A handler: the context, then the arguments and the options as commander gives them. Its number is the exit code; none is 0. */
export type Run = (context: Context, ...args: never[]) => Promise<number | void>

/** Result of the command that ran. */
export const outcome = { code: exitCode.done as number, asJson: false }

/** Commander does not wrap a text that has less room than this next to its names; examples are indented by two. */
export const helpLayout = { showGlobalOptions: false, minWidthToWrap: 20 }
const exampleWidth = (process.stdout.columns || 80) - 2

export function group(name: string, summary: string): Command {
  return new Command(name).description(summary).configureHelp(helpLayout).showHelpAfterError('(see --help)')
}

/** Adds to a command the options that all commands have, its handler, and the examples in its help. */
export function finish(command: Command, run: Run, examples: readonly string[]): Command {
  command
    .addOption(new Option('--json', 'print the answer as JSON'))
    .addOption(new Option('--socket <file>', "the daemon's control socket").env('PBXD_SOCKET'))
    .addOption(new Option('--config <file>', 'the configuration file that names the control socket').env('PBXD_CONFIG'))
    .addHelpText(
      'after',
      `\nExamples:\n${examples
        .flatMap((line) => commandLines(line, exampleWidth))
        .map((line) => `  ${line}`)
        .join('\n')}`,
    )
  command.action(async (...args: unknown[]) => {
    args.pop() // commander's own object comes last, after the options
    const options = args.pop() as SocketChoice & { json?: true }
    outcome.asJson = options.json === true
    outcome.code = (await run(contextOf(options), ...([...args, options] as never[]))) ?? exitCode.done
  })
  return command
}

/** A handler in a file that is loaded when the command runs: for handlers that need large packages, so that other commands start fast. */
export function late(load: () => Promise<Run>): Run {
  return async (context, ...args) => (await load())(context, ...args)
}

function contextOf(options: SocketChoice & { json?: true }): Context {
  const choice: SocketChoice = {
    ...(options.socket === undefined ? {} : { socket: options.socket }),
    ...(options.config === undefined ? {} : { config: options.config }),
  }
  return { json: options.json === true, choice, client: async () => new Client(await findSocket(choice)) }
}

/** A number on the command line. */
export function positive(text: string): number {
  const n = Number(text)
  if (!(n > 0)) throw new InvalidArgumentError('Give a number above zero.')
  return n
}

/** How many rows a list shows. */
export function rows(text: string): number {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1 || n > 1000) throw new InvalidArgumentError('Give a whole number from 1 to 1000.')
  return n
}
