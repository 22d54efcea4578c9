/**
 * The `pbx` program (its commands: program.ts).
 * Exit codes: 0 done, 1 failed, 2 wrong usage, 3 daemon not reachable.
 */
import { CommanderError, type Command } from 'commander'
import { CommandError, exitCode } from './client.ts'
import { fitted, red } from './output.ts'
import { outcome, program } from './program.ts'

// `pbx calls | head` ends before everything is written; that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

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

try {
  const pbx = program()
  throwOnExit(pbx)
  await pbx.parseAsync()
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
process.exitCode = outcome.code
