/**
 * One run of the `pbx` program (its commands: program.ts; main.ts runs it once).
 * Exit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.
 */
import { CommanderError, Command } from 'commander'
import { isRoot, UnsafePath } from '../../daemon/base/owner.ts'
import { CommandError, exitCode, faultOfAnswer, root } from './client.ts'
import { fitted, harmless, printNote, red } from './output.ts'
import { seen } from './patience.ts'
import { outcome, helpLayout } from './command.ts'
import { readFileSync } from 'node:fs'
import { commands } from './commands.ts'

/** The table of all commands of `pbx`. What a command needs beyond the client and the tables is loaded when it runs, so that `pbx` starts fast. */
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string }

export function program(): Command {
  const pbx = new Command('pbx')
    .description("The technician's program for pbxd, the telephone system. It talks to the running daemon over its control socket.")
    .version(version)
    .configureHelp({ minWidthToWrap: helpLayout.minWidthToWrap, sortSubcommands: true })
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.\nEvery command has --json and --help.')
    .showHelpAfterError('(see pbx --help)')
    // "pbx speech reload --json": the option is the inner command's, though the outer one has it as well.
    .enablePositionalOptions()
  for (const command of commands.flatMap((make) => make())) pbx.addCommand(command)
  return pbx
}

/** Who mistypes a command of a group that shows something by itself meant another one, not a word for what it shows. */
function inGroup(text: string, { parent }: Command): string {
  const word = /^error: too many arguments for '.*'\. Expected 0 arguments but got \d+: ([^,\n]*[^,.\n])/.exec(text)?.[1]
  return word === undefined ? text : `error: pbx ${parent!.name()} has no command ${word}\n`
}

/** Errors of usage must leave with 2, which commander would not do by itself. */
function throwOnExit(command: Command): void {
  command.exitOverride()
  if (command.parent?.parent) command.configureOutput({ outputError: (text, write) => write(inGroup(text, command)) })
  for (const inner of command.commands) throwOnExit(inner)
}

/** Runs one command, as if its words had been typed after `pbx`; resolves with its exit code when all is written. */
export async function run(words: readonly string[]): Promise<number> {
  Object.assign(outcome, { code: exitCode.done, asJson: words.includes('--json') })
  seen.answer = false
  try {
    const pbx = program()
    throwOnExit(pbx)
    await pbx.parseAsync(words, { from: 'user' })
  } catch (caught) {
    const error =
      caught instanceof UnsafePath
        ? new CommandError(caught.message, { code: 'unsafe-path', fix: caught.fix })
        : isOfSystem(caught)
          ? new CommandError(caught.message)
          : (faultOfAnswer(caught) ?? caught)
    if (error instanceof CommanderError) {
      outcome.code = error.exitCode === 0 ? exitCode.done : exitCode.usage
    } else if (error instanceof CommandError) {
      outcome.code = error.exit
      if (outcome.asJson)
        process.stdout.write(
          `${harmless(JSON.stringify({ error: plain(error.message), code: error.code, ...(error.fix ? { fix: error.fix } : {}) }))}\n`,
        )
      else process.stderr.write(`${fitted(red(`pbx: ${plain(error.message)}`))}\n${error.fix ? `${fitted(`  try: ${error.fix}`)}\n` : ''}`)
    } else {
      outcome.code = exitCode.failed
      printNote(`${red('pbx: ')}${(error as Error).stack ?? String(error)}`)
    }
  }
  return outcome.code
}

/** Faults of the system in words. Root sees the rights of the user who owns the folder. */
const words: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ELOOP: 'it is a symbolic link',
  ENXIO: 'it is a pipe or a socket',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the disk is read-only',
  EXDEV: 'it is on another disk',
  ETXTBSY: 'it is a running program',
}

function wordsFor(code: string, description: string): string {
  if (code === 'EACCES' || code === 'EPERM')
    return isRoot() ? 'the owner of its folder has no permission for that' : 'this user has no permission (run it as root)'
  return words[code] ?? description
}

/** As Node writes them: `ENOENT: no such file or directory, open '/a'`. A path that is not named yet stays. */
function plain(message: string): string {
  return message.replaceAll(
    /\b(?:Error: )?(E[A-Z0-9]{3,}): ([^,\n]+), [a-z]+(?: '([^'\n]*)')?(?: -> '[^'\n]*')?/g,
    (_, code: string, description: string, path: string | undefined, at: number) => {
      const said = wordsFor(code, description)
      return path === undefined || message.slice(0, at).includes(path) ? said : `${path}: ${said}`
    },
  )
}

/** Whether it is a fault of the system and not one of this program. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}
