/**
 * Reminders in simulated time. `week` shows a clinic's week as a table; `kills` runs the box with kill -9 in between and judges
 * what the people on the line saw. Exits with 1 on a fault.
 */
import { Command, InvalidArgumentError } from 'commander'
import { killRounds } from './kills.ts'
import { week } from './week.ts'

function whole(text: string): number {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError('A whole number above zero is wanted.')
  return n
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const program = new Command('reminders')
program
  .command('week')
  .option('--per-day <n>', 'appointments a day', whole, 300)
  .option('--lines <n>', 'reminder calls at once', whole, 2)
  .option('--seed <n>', 'of chance', whole, 1)
  .action(async ({ perDay, lines, seed }: { perDay: number; lines: number; seed: number }) => {
    if (!(await week(perDay, lines, seed, print))) process.exitCode = 1
  })
program
  .command('kills')
  .option('--rounds <n>', 'kills', whole, 40)
  .option('--reminders <n>', 'reminders in all', whole, 10_000)
  .option('--lines <n>', 'reminder calls at once', whole, 20)
  .option('--most-ms <n>', 'longest real time between a start and its kill', whole, 4000)
  .option('--seed <n>', 'of chance', whole, 1)
  .action(async (options: { rounds: number; reminders: number; lines: number; mostMs: number; seed: number }) => {
    const startedAt = performance.now()
    const verdict = await killRounds({
      ...options,
      onRound: (round, simulated) => print(`round ${round}: simulated time is ${new Date(simulated).toISOString()}`),
    })
    const { faults, ...rest } = verdict
    print(JSON.stringify(rest, null, 2))
    for (const fault of faults.slice(0, 20)) print(`FAULT ${fault}`)
    print(`${faults.length} faults after ${options.rounds} kills, ${Math.round((performance.now() - startedAt) / 1000)} s`)
    if (faults.length > 0) process.exitCode = 1
  })
await program.parseAsync()
