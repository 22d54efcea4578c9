/**
 * The property of the cursor, with real processes: a process holds several inboxes, each a history and a store of its own, and is killed
 * with SIGKILL at random moments. Chance is fast-check's; what the kill hits is the machine's.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createLog } from '../../../daemon/base/log.ts'
import { History, type HistoryPlan, type LifePlan } from './history.ts'

export interface Verdict {
  cases: number
  /** Of all histories: each has two to four. */
  kills: number
  acknowledged: number
  /** In the stores at the end. */
  items: number
  polls: number
  backups: number
  restores: number
}

export interface CursorProof {
  readonly cases: number
  readonly seed: number
  /** Inboxes in one process. */
  readonly batch?: number
  readonly minutes?: number
  readonly onBatch?: (verdict: Verdict) => void
}

const hourMs = 3_600_000
const log = createLog({ level: 'silent' })

const clockStep = fc.oneof(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: -48 * hourMs, max: 48 * hourMs }))
const life: fc.Arbitrary<LifePlan> = fc.record({
  writers: fc.integer({ min: 1, max: 4 }),
  limit: fc.integer({ min: 1, max: 12 }),
  offsetMs: fc.oneof(fc.constant(0), clockStep),
  steps: fc.array(fc.record({ after: fc.integer({ min: 1, max: 30 }), ms: clockStep }), { maxLength: 3 }),
  backupAfter: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 3 }),
  losesAnswers: fc.boolean(),
  afterwards: fc.constantFrom('nothing' as const, 'nothing' as const, 'backup' as const, 'restore' as const),
  clockIsLate: fc.boolean(),
})

/** Milliseconds until the kill, from when the boxes are being opened or, earlier, from the start of the process. */
interface KillPlan {
  readonly from: 'start' | 'open'
  readonly ms: number
}

const kill: fc.Arbitrary<KillPlan> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ from: fc.constant('open' as const), ms: fc.integer({ min: 0, max: 300 }) }) },
  { weight: 1, arbitrary: fc.record({ from: fc.constant('start' as const), ms: fc.integer({ min: 0, max: 600 }) }) },
)

/** Lives of the process, by when each is killed, and the histories of its inboxes. */
const batchOf = (size: number) =>
  fc.integer({ min: 2, max: 4 }).chain((lives) =>
    fc.record({
      kills: fc.array(kill, { minLength: lives, maxLength: lives }),
      histories: fc.array<HistoryPlan>(
        fc.record({ pollers: fc.integer({ min: 1, max: 3 }), lives: fc.array(life, { minLength: lives, maxLength: lives }) }),
        { minLength: size, maxLength: size },
      ),
    }),
  )

/** Rejects with the first fault: its cause says of which history. */
export async function proveCursor({ cases, seed, batch = 20, minutes, onBatch }: CursorProof): Promise<Verdict> {
  const size = Math.min(batch, cases)
  const total: Verdict = { cases: 0, kills: 0, acknowledged: 0, items: 0, polls: 0, backups: 0, restores: 0 }
  const judged = fc.asyncProperty(batchOf(size), async ({ kills, histories }) => {
    const verdict = await runBatch(kills, histories)
    addTo(total, verdict)
    onBatch?.(verdict)
  })
  const result = await fc.check(judged, {
    numRuns: Math.ceil(cases / size),
    seed,
    // What the kill hits is never the same again.
    endOnFailure: true,
    ...(minutes === undefined ? {} : { interruptAfterTimeLimit: minutes * 60_000 }),
  })
  if (result.failed && result.errorInstance !== null) {
    throw new Error(`seed ${seed}, path ${result.counterexamplePath}`, { cause: result.errorInstance })
  }
  return total
}

async function runBatch(kills: readonly KillPlan[], plans: readonly HistoryPlan[]): Promise<Verdict> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-cursor-'))
  try {
    const histories = plans.map((plan, n) => new History(join(dir, String(n)), plan))
    for (const [n, plan] of kills.entries()) {
      const journal = await liveOnce(dir, n, plan, histories)
      for (const [inbox, history] of histories.entries()) await about(plans[inbox]!, async () => history.ended(n, journal.get(inbox) ?? []))
    }
    for (const [inbox, history] of histories.entries()) await about(plans[inbox]!, () => history.judge(log))
    const sum = (of: (history: History) => number): number => histories.reduce((all, history) => all + of(history), 0)
    return {
      cases: histories.length,
      kills: kills.length * histories.length,
      acknowledged: sum((history) => history.acknowledged),
      items: sum((history) => history.items),
      polls: sum((history) => history.polls),
      backups: sum((history) => history.backups),
      restores: sum((history) => history.restores),
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A fault names the history it was found in. */
async function about(plan: HistoryPlan, judge: () => Promise<void>): Promise<void> {
  try {
    await judge()
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : String(cause)} in ${JSON.stringify(plan)}`, { cause })
  }
}

/** One life of the process, to its kill. The lines of its journal by inbox. */
async function liveOnce(dir: string, n: number, { from, ms }: KillPlan, histories: readonly History[]): Promise<Map<number, string[]>> {
  const [job, journal] = [join(dir, `job-${n}`), join(dir, `journal-${n}`)]
  writeFileSync(job, JSON.stringify(histories.map((history) => history.part(n))))
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'child.ts'), job, journal], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  if (from === 'open') await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), ended])
  await Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), ended])
  child.kill('SIGKILL')
  if ((await ended) !== 'SIGKILL') throw new Error('the box ended by itself')
  const byInbox = new Map<number, string[]>()
  // What follows the last line end was cut off by the kill.
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : []
  for (const line of lines) {
    const at = line.indexOf(' ')
    const inbox = Number(line.slice(0, at))
    const known = byInbox.get(inbox)
    if (known === undefined) byInbox.set(inbox, [line.slice(at + 1)])
    else known.push(line.slice(at + 1))
  }
  return byInbox
}

export function addTo(total: Verdict, verdict: Verdict): void {
  for (const key of Object.keys(total) as (keyof Verdict)[]) total[key] += verdict[key]
}
