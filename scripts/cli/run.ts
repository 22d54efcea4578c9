/**
 * One run of the `pbx` program (its commands: program.ts; main.ts runs it once).
 * Exit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.
 */
import { CommanderError, type Command } from 'commander'
import { CommandError, exitCode } from './client.ts'
import { fitted, red } from './output.ts'
import { outcome, program } from './program.ts'

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
  try {
    const pbx = program()
    throwOnExit(pbx)
    await pbx.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      outcome.code = error.exitCode === 0 ? exitCode.done : exitCode.usage
    } else if (error instanceof CommandError) {
      outcome.code = error.exit
      if (outcome.asJson)
        process.stdout.write(`${JSON.stringify({ error: error.message, code: error.code, ...(error.fix ? { fix: error.fix } : {}) })}\n`)
      else process.stderr.write(`${fitted(red(`pbx: ${error.message}`))}\n${error.fix ? `${fitted(`  try: ${error.fix}`)}\n` : ''}`)
    } else {
      outcome.code = exitCode.failed
      process.stderr.write(`${red('pbx: ')}${(error as Error).stack ?? String(error)}\n`)
    }
  }
  return outcome.code
}
