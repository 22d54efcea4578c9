/**
 * The cursor of the inbox under kill -9: `cursor` runs generated histories of writers, pollers, kills, clocks, backups and restores
 * with real processes and real stores, and judges what was polled. Exits with 1 on a fault.
 */
import { Command, InvalidArgumentError } from 'commander'
import { addTo, proveCursor, type Verdict } from './cursor.ts'

function whole(text: string): number {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError('A whole number above zero is wanted.')
  return n
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

interface CursorOptions {
  readonly cases: number
  readonly jobs: number
  readonly minutes?: number
  readonly seed: number
}

const program = new Command('inbox')
program
  .command('cursor')
  .option('--cases <n>', 'histories in all', whole, 10_000)
  .option('--jobs <n>', 'processes at once', whole, 2)
  .option('--minutes <n>', 'ends after so long, with what was judged by then', whole)
  .option('--seed <n>', 'of chance', whole, 1)
  .action(async ({ cases, jobs, minutes, seed }: CursorOptions) => {
    const startedAt = performance.now()
    const seconds = (): number => Math.round((performance.now() - startedAt) / 1000)
    let told = 0
    const total: Verdict = { cases: 0, kills: 0, acknowledged: 0, items: 0, polls: 0, backups: 0, restores: 0 }
    const run = (job: number): Promise<Verdict> =>
      proveCursor({
        cases: Math.ceil(cases / jobs),
        seed: seed * 1000 + job,
        ...(minutes === undefined ? {} : { minutes }),
        onBatch: (verdict) => {
          addTo(total, verdict)
          if (total.cases - told < 500) return
          told = total.cases
          print(`${total.cases} histories in ${seconds()} s`)
        },
      })
    const results = await Promise.allSettled(Array.from({ length: jobs }, (_, job) => run(job)))
    print(JSON.stringify(total, null, 2))
    for (const result of results) {
      if (result.status === 'fulfilled') continue
      const { message, cause } = result.reason as Error
      print(`FAULT ${message}: ${String(cause)}`)
      process.exitCode = 1
    }
    print(`${total.cases} histories were judged good in ${seconds()} s, seed ${seed}`)
  })
await program.parseAsync()
