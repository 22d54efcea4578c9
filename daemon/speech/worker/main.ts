/**
 * The program of a speech process, whatever engines its table holds. Started by the daemon it serves until the daemon is
 * gone. With `--trial [PLAN]` it tries a plan (JSON, from the argument or standard input), writes one line of JSON and
 * ends: status 0 when everything works, 1 otherwise; a bad model may also end it by a signal.
 */
import { text } from 'node:stream/consumers'
import type { Order, ProcessPlan, Report } from '../process/protocol.ts'
import type { EngineTable } from './engines.ts'
import { SpeechServer } from './server.ts'
import { tryPlan } from './trial.ts'

export async function runSpeechProgram(table: EngineTable, args: readonly string[]): Promise<void> {
  const [mode, given] = args
  if (mode === '--trial') {
    const plan = JSON.parse(given ?? (await text(process.stdin))) as ProcessPlan
    const result = await tryPlan(plan, table)
    // Native threads are not waited for.
    process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(result.ok ? 0 : 1))
    return
  }
  if (process.send === undefined) {
    process.stderr.write('This is the speech process of pbxd, which starts it itself. By hand it takes --trial PLAN.\n')
    process.exitCode = 2
    return
  }
  serve(table)
}

function serve(table: EngineTable): void {
  const report = (message: Report): Promise<void> =>
    new Promise((resolve) => {
      if (process.connected) process.send?.(message, undefined, {}, () => resolve())
      else resolve()
    })
  const server = new SpeechServer(table, { report })
  let turn = Promise.resolve()
  process.on('message', (orders) => {
    // Nothing overtakes the loading of the plan.
    turn = turn.then(() => server.take(orders as readonly Order[]))
    turn.catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
      process.exit(70)
    })
  })
  process.on('disconnect', () => process.exit(0))
  // Stopping the service may signal all its processes; calls that are being ended still need this one.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined)
}
