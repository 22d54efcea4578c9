/** Servers of streams that flood, four calls at once: how long the event loop of the daemon stands still meanwhile. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, root, type DaemonOptions } from '../../harness/daemon.ts'
import { Scene, eventually, pause } from '../../harness/scene.ts'
import { floodServer, floods, pathOf, type FloodName } from '../../harness/streams/flood-server.ts'
import { reaching, streamDocument } from './sides.ts'

/** The event loop of a daemon with any of these stands still no longer than this, but for one millisecond in a thousand. */
export const mostStillMs = 50
const callsAtOnce = 4

export interface Still {
  readonly p999: number
  readonly max: number
  /** The same share of what the thread itself ran, without its wait for a processor: what a busy machine does not change. */
  readonly ranMs: number
}

/** A daemon that can be watched, and servers it reaches. */
export interface FloodStage {
  readonly scene: Scene
  readonly port: number
  /** How the event loop was while `load` ran. */
  still(load: () => Promise<void>): Promise<Still>
  close(): Promise<void>
}

export async function floodStage(): Promise<FloodStage> {
  const port = await freePort()
  const file = join(tmpdir(), `pbxd-floods-${process.pid}-${port}.json`)
  const options: Partial<DaemonOptions> = {
    compiled: true,
    nodeArguments: ['--import', join(root, 'test', 'proofs', 'bench', 'stall-probe.ts')],
    env: { PBXD_STALLS: file },
    settings: reaching(port),
  }
  const server = await floodServer(port)
  const scene = await Scene.open(options)
  return {
    scene,
    port,
    async still(load) {
      rmSync(file, { force: true })
      scene.daemon.signal('SIGUSR2')
      await load()
      scene.daemon.signal('SIGUSR2')
      await eventually('the probe has written', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('}'))
      const { p999, max, longest, samples } = JSON.parse(readFileSync(file, 'utf8')) as Still & {
        longest: { ranMs: number }[]
        samples: number
      }
      const ran = longest.map(({ ranMs }) => ranMs).toSorted((a, b) => b - a)
      return { p999, max, ranMs: ran[Math.floor(samples / 1000)] ?? 0 }
    },
    async close() {
      await scene.close()
      await server.close()
      rmSync(file, { force: true })
    },
  }
}

/** Four calls, each with such a server, for so long. */
export async function flood({ scene, port, still }: FloodStage, name: FloodName, ms: number): Promise<Still> {
  scene.app.script = (event) => (event.event === 'call.inbound.pre_route' ? streamDocument(`ws://127.0.0.1:${port}${pathOf(name)}`) : [])
  const seen = await still(async () => {
    await Promise.all(Array.from({ length: callsAtOnce }, (_, at) => scene.call({ from: `+1555200100${at}` })))
    await pause(ms)
  })
  await scene.sweep()
  return seen
}

export interface FloodOutcome {
  readonly name: string
  readonly good: boolean
  readonly seen: string
}

export async function everyFlood(only: string | undefined, ms: number, tell: (outcome: FloodOutcome) => void): Promise<FloodOutcome[]> {
  const stage = await floodStage()
  const outcomes: FloodOutcome[] = []
  const add = (name: string, { p999, max, ranMs }: Still): void => {
    const seen = `p99.9 ${p999.toFixed(1)} ms, of which the thread ran ${ranMs.toFixed(1)}; the longest ${max.toFixed(0)}`
    outcomes.push({ name, good: ranMs <= mostStillMs, seen })
    tell(outcomes.at(-1)!)
  }
  try {
    add('nobody calls', await stage.still(() => pause(ms)))
    for (const name of Object.keys(floods) as FloodName[])
      if (only === undefined || name.includes(only)) add(name, await flood(stage, name, ms))
  } finally {
    await stage.close()
  }
  return outcomes
}
