/** Requests from a process of its own, against two servers in turns, and the rows of a table that compare them. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../../harness/daemon.ts'
import type { HammerJob } from './hammer.ts'
import { atLeast, fact, spread, type Row } from './measure.ts'

export interface LoadResult {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly statuses: Record<string, number>
}

export function hammer(job: HammerJob): Promise<LoadResult> {
  const words = [join(root, 'test', 'proofs', 'bench', 'hammer.ts'), JSON.stringify(job)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (d: Buffer) => (out += d.toString()))
  return new Promise((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve(JSON.parse(out) as LoadResult) : reject(new Error(`the client ended with ${code}`)),
    )
  })
}

export interface Rivals {
  readonly rounds: number
  /** A first round that does not count: both run code that is compiled by then. */
  readonly warmUp?: boolean
  readonly ours: (round: number) => HammerJob
  readonly theirs: (round: number) => HammerJob
  /** What the ratio is called, and the least it may be. */
  readonly what: string
  readonly target: number
  readonly names: readonly [ours: string, theirs: string]
}

/** Each round asks both, in changing order; the ratio is the median of those of the rounds. */
export async function compare({ rounds, warmUp = false, ours, theirs, what, target, names }: Rivals): Promise<Row[]> {
  const mine: LoadResult[] = []
  const others: LoadResult[] = []
  if (warmUp) for (const job of [ours(rounds), theirs(rounds)]) await hammer(job)
  for (let round = 0; round < rounds; round++) {
    const turns = [async () => mine.push(await hammer(ours(round))), async () => others.push(await hammer(theirs(round)))]
    for (const turn of round % 2 ? turns.toReversed() : turns) await turn()
  }
  const ratios = mine.map((result, n) => result.perSecond / (others[n]?.perSecond ?? NaN))
  return [
    atLeast(what, target, '', spread(ratios).p50, `rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`),
    figures(names[0], mine),
    figures(names[1], others),
  ]
}

function figures(name: string, list: readonly LoadResult[]): Row {
  const median = (of: (result: LoadResult) => number): number => spread(list.map(of)).p50
  const latency = `latency p50 ${median((r) => r.p50).toFixed(1)} p99 ${median((r) => r.p99).toFixed(1)} ms`
  return fact(name, `${median((r) => r.perSecond).toFixed(0)}/s`, `median of rounds; ${latency}; ${JSON.stringify(list.at(-1)?.statuses)}`)
}
