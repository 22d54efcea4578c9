/** What a call costs behind the edge and without it, and how many calls a second one, two and three boxes on these processors answer. */
import { cpus } from 'node:os'
import { spawnSync } from 'node:child_process'
import { cpuMs } from '../../harness/processes.ts'
import { count, Caller, hangUp, look } from '../../cluster/caller.ts'
import { pause } from '../../harness/waiting.ts'
import { until, type FleetBox } from '../../../scripts/cluster/fleet.ts'
import type { Stage } from './stage.ts'

export interface FigureOptions {
  readonly rounds: number
  readonly calls: number
  readonly seconds: number
}

const everyMs = 50
const atOnce = 16
const mostRatio = 1.1

const sum = (pids: readonly number[]): number => pids.reduce((all, pid) => all + cpuMs(pid), 0)
const median = (all: readonly number[]): number => all.toSorted((x, y) => x - y)[Math.floor(all.length / 2)] ?? 0
const edgePids = (): number[] =>
  ['e1', 'e2'].flatMap((name) =>
    spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' })
      .stdout.split('\n')
      .flatMap((pid) => (pid === '' ? [] : [Number(pid)])),
  )

async function only(stage: Stage, boxes: readonly FleetBox[]): Promise<void> {
  for (const box of stage.boxes) box.pbx('drain', ...(boxes.includes(box) ? ['--off'] : []))
  await until(
    `calls reach ${boxes.map(({ id }) => id).join()} alone`,
    async () => {
      const all = await stage.caller.calls(3 * boxes.length, 50)
      hangUp(all)
      return boxes.every(({ address }) => count(all, address) === 3)
    },
    20_000,
  )
  await pause(1000)
}

/** Alternately past the edge and through it, so that both see the same machine. */
export async function costs(stage: Stage, { rounds, calls }: FigureOptions): Promise<void> {
  const [a] = stage.boxes
  await only(stage, [a])
  const direct = new Caller(await stage.direct(a), a.address)
  const alone: number[] = []
  const behind: number[] = []
  const proxy: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (const [caller, to] of [
      [direct, alone],
      [stage.caller, behind],
    ] as const) {
      const before = [sum(a.pids()), sum(edgePids())] as const
      const all = await caller.calls(calls, everyMs, undefined, hangUp)
      await pause(1500)
      to.push((sum(a.pids()) - before[0]) / calls)
      if (to === behind) proxy.push((sum(edgePids()) - before[1]) / calls)
      const bad = all.filter(({ status }) => status !== 200).length
      if (bad > 0) look('a call of the measurement is answered', false, `${bad} of ${calls} are not`)
    }
  }
  const ratio = median(behind) / median(alone)
  const list = (all: readonly number[]): string => all.map((one) => one.toFixed(1)).join(' ')
  look(
    `a call behind Kamailio costs the box at most ${mostRatio} x of one without`,
    ratio <= mostRatio,
    `${ratio.toFixed(2)}: median ${median(behind).toFixed(1)} against ${median(alone).toFixed(1)} ms of processor a call (${calls} calls a round; behind ${list(behind)}, alone ${list(alone)}); the edge ${median(proxy).toFixed(1)} ms`,
  )
  await only(stage, stage.boxes)
}

/** Callers that call, are answered, hang up and call again. */
export async function rates(stage: Stage, { seconds }: FigureOptions): Promise<void> {
  const [a, b, c] = stage.boxes
  for (const boxes of [[a], [a, b], [a, b, c]]) {
    await only(stage, boxes)
    const before = [sum(stage.boxes.flatMap((box) => box.pids())), sum(edgePids()), process.cpuUsage()] as const
    const since = performance.now()
    let [good, bad] = [0, 0]
    const busy = async (): Promise<void> => {
      while (performance.now() - since < seconds * 1000) {
        const one = await stage.caller.call()
        if (one.status === 200) good += 1
        else bad += 1
        hangUp([one])
      }
    }
    await Promise.all(Array.from({ length: atOnce }, busy))
    const took = performance.now() - since
    const own = process.cpuUsage(before[2])
    const share = (ms: number): string => `${Math.round((100 * ms) / took / cpus().length)} %`
    look(
      `${boxes.length} box${boxes.length === 1 ? '' : 'es'}: calls a second, by ${atOnce} callers at once`,
      bad === 0,
      `${((1000 * good) / took).toFixed(0)}/s, ${bad} bad; of the ${cpus().length} processors: boxes ${share(sum(stage.boxes.flatMap((box) => box.pids())) - before[0])}, edge ${share(sum(edgePids()) - before[1])}, callers ${share((own.user + own.system) / 1000)}`,
    )
  }
}
