/** What daemon and engine use of the processor. */
import { cpuMs } from '../../../harness/processes.ts'
import { pause, type Scene } from '../../../harness/scene.ts'

export interface Used {
  /** Percent of a core. */
  readonly daemon: number
  readonly engine: number
}

export async function used(scene: Scene, seconds: number): Promise<Used> {
  const of = () => ({ daemon: cpuMs(scene.daemon.pid), engine: cpuMs(scene.daemon.enginePids()[0] ?? 0) })
  const from = of()
  await pause(seconds * 1000)
  const to = of()
  return { daemon: (to.daemon - from.daemon) / seconds / 10, engine: (to.engine - from.engine) / seconds / 10 }
}

/** Most of what a start and many registrations leave to do is done by then. */
export async function atRest(scene: Scene): Promise<Used> {
  for (let turn = 0; turn < 15; turn++) if ((await used(scene, 2)).daemon < 2) break
  return used(scene, 4)
}

/** What is used besides: a daemon that had more to do at rest, as soon after its start, takes nothing off what the engine uses. */
export const besides = (busy: Used, rest: Used): number => Math.max(0, busy.daemon - rest.daemon) + Math.max(0, busy.engine - rest.engine)

export const shares = (seen: Used, rest: Used): string =>
  `engine ${seen.engine.toFixed(1)} %, daemon ${seen.daemon.toFixed(1)} %; at rest ${rest.engine.toFixed(1)} and ${rest.daemon.toFixed(1)} %`
