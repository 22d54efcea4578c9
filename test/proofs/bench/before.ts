/**
 * npm run bench -- --before DIR [NAME...]: this checkout against an older one that is set up in DIR, in turns in one run: durable POSTs,
 * calls answered by an application, how evenly RTP leaves, and the start with a store that has kept much. The load and the meters are this checkout's for both; the daemon, its
 * engine and the settings it is given are each checkout's own.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cpuMs } from '../../harness/processes.ts'
import { calling, type Answered } from './answered.ts'
import { listened } from './audio.ts'
import { posting } from './durable.ts'
import { hammer } from './load.ts'
import { atLeast, atMost, fact, format, spread, type Measurement, type Row } from './measure.ts'
import { openStore } from '../../../daemon/store/store.ts'
import { shown, started, type Started } from './start.ts'
import { stage, type Stage } from './stage.ts'

const leastRatio = 0.95
const mostRatio = 1.05
const names = ['this checkout', 'before'] as const
const scenes = 12
const postRounds = 5
const callRounds = 3
/** What `answered` asks for at most, and more than any of them can take. */
const askedPerSecond = [400, 800]
/** The p99 of the same program differs by a half from round to round (0.12 and 0.20 ms): the median of two would be chance. */
const audioRounds = 6
const audioCalls = 50

export function comparisons(dir: string): Measurement[] {
  const older = stageOf(resolve(dir))
  return [
    {
      name: 'durable',
      title: `Durable POSTs against ${dir}, ${scenes} times ${postRounds} rounds in turns`,
      run: async () => posts(await older()),
    },
    { name: 'answered', title: `Calls answered by an application against ${dir}`, run: async () => calls(await older()) },
    {
      name: 'audio',
      title: `Audio of ${audioCalls} calls against ${dir}, event loops blocked`,
      run: async () => audio(await older()),
    },
    {
      name: 'start',
      title: `Start with much kept against ${dir}`,
      run: async () => {
        const { openStore: theirs } = (await import(pathToFileURL(join(resolve(dir), 'daemon/store/store.ts')).href)) as {
          openStore: typeof openStore
        }
        return starts(await started(stage, openStore), await started(await older(), theirs))
      },
    },
  ]
}

function stageOf(dir: string): () => Promise<Stage> {
  return async () => {
    if (!existsSync(join(dir, '.cache', 'program', 'daemon', 'main.js'))) throw new Error(`${dir} is not set up: run scripts/setup there`)
    // Until November 2026 the bench lay in scripts/.
    const file = ['test/proofs/bench/stage.ts', 'scripts/bench/stage.ts'].map((name) => join(dir, name)).find((name) => existsSync(name))
    if (file === undefined) throw new Error(`${dir} has no bench`)
    const module = (await import(pathToFileURL(file).href)) as { stage: Stage }
    return module.stage
  }
}

function starts(ours: Started, theirs: Started): Row[] {
  return [
    atMost('start to ready, ratio to before', 1, '', ours.kept.p50 / theirs.kept.p50, 'of the medians'),
    shown(names[0], ours),
    shown(names[1], theirs),
  ]
}

interface Posted {
  readonly perSecond: number[]
  /** Of all threads of the daemon, for one POST. */
  readonly cpuMs: number[]
}

/** Fresh daemons each time, and in changing order; a round takes a fifth of a second, so single ones say little. */
async function posts(older: Stage): Promise<Row[]> {
  const ours: Posted = { perSecond: [], cpuMs: [] }
  const theirs: Posted = { perSecond: [], cpuMs: [] }
  for (let n = 0; n < scenes; n++) {
    const both = [
      { scene: await stage({ startsPerSecond: 1 }), seen: ours },
      { scene: await older({ startsPerSecond: 1 }), seen: theirs },
    ]
    try {
      for (const { scene } of both) await hammer(posting(scene.daemon))
      for (let round = 0; round < postRounds; round++) {
        for (const { scene, seen } of (n + round) % 2 ? both.toReversed() : both) {
          const job = posting(scene.daemon)
          const before = cpuMs(scene.daemon.pid)
          const { perSecond, statuses } = await hammer(job)
          if (statuses['200'] !== job.requests) throw new Error(`not all POSTs were taken: ${JSON.stringify(statuses)}`)
          seen.perSecond.push(perSecond)
          seen.cpuMs.push((cpuMs(scene.daemon.pid) - before) / job.requests)
        }
      }
    } finally {
      // Thousands of calls wait to be dialled: they need no clean end.
      for (const { scene } of both) {
        await scene.daemon.kill()
        await scene.close()
      }
    }
  }
  const row = (name: string, { perSecond, cpuMs: spent }: Posted): Row =>
    fact(
      name,
      `${format(median(perSecond))}/s`,
      `median; processor of a POST ${format(median(spent) * 1000)} µs; rounds: ${perSecond.map((n) => n.toFixed(0)).join(' ')}`,
    )
  const ratio = median(ours.perSecond) / median(theirs.perSecond)
  return [
    atLeast('durable POSTs a second, ratio to before', leastRatio, '', ratio, 'of the medians of all rounds'),
    row(names[0], ours),
    row(names[1], theirs),
  ]
}

/** Each round asks both, in changing order. */
async function inTurns<T>(rounds: number, older: Stage, measure: (open: Stage) => Promise<T>): Promise<{ ours: T[]; theirs: T[] }> {
  const seen: { ours: T[]; theirs: T[] } = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round++) {
    const turns = [async () => seen.ours.push(await measure(stage)), async () => seen.theirs.push(await measure(older))]
    for (const turn of round % 2 ? turns.toReversed() : turns) await turn()
  }
  return seen
}

const median = (values: readonly number[]): number => spread(values).p50
const list = (values: readonly number[]): string => values.map(format).join(' ')

async function calls(older: Stage): Promise<Row[]> {
  const { ours, theirs } = await inTurns(callRounds, older, (open) => calling(open, askedPerSecond))
  return askedPerSecond.flatMap((asked) => {
    const of = (seen: typeof ours) => seen.flatMap((round) => round.filter((one) => one.asked === asked))
    const mine = of(ours)
    const others = of(theirs)
    const ratios = mine.map(({ perSecond }, at) => perSecond / (others[at]?.perSecond ?? NaN))
    return [
      atLeast(`asked ${asked}/s: calls a second, ratio to before`, leastRatio, '', median(ratios), `rounds: ${list(ratios)}`),
      figures(names[0], mine),
      figures(names[1], others),
    ]
  })
}

function figures(name: string, seen: readonly Answered[]): Row {
  const of = (value: (one: Answered) => number): number => median(seen.map(value))
  const sum = (value: (one: Answered) => number): number => seen.reduce((total, one) => total + value(one), 0)
  const cost = `processor of a call: daemon ${format(of(({ cpuMs: { daemon } }) => daemon))}, engine ${format(of(({ cpuMs: { engine } }) => engine))} ms`
  return fact(
    name,
    `${format(of(({ perSecond }) => perSecond))}/s`,
    `${sum(({ good }) => good)} of ${sum((one) => one.calls)} good; ${cost}`,
  )
}

async function audio(older: Stage): Promise<Row[]> {
  const { ours, theirs } = await inTurns(audioRounds, older, (open) => listened(open, audioCalls))
  const p99 = (seen: typeof ours): number[] => seen.map(({ blocked }) => blocked.p99)
  const most = (seen: typeof ours): number[] => seen.map(({ blocked }) => blocked.max)
  return [
    atMost(
      'RTP interval deviation, p99, ratio to before',
      mostRatio,
      '',
      median(p99(ours)) / median(p99(theirs)),
      `ms: ${list(p99(ours))}; before ${list(p99(theirs))}`,
    ),
    fact('RTP interval deviation, max', `${format(median(most(ours)))} ms`, `rounds: ${list(most(ours))}; before ${list(most(theirs))}`),
  ]
}
