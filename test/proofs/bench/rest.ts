/** Memory of the processes at rest, and the time from the start of the process to readiness. */
import { childrenOf, residentKb } from '../../harness/processes.ts'
import { pause } from '../../harness/scene.ts'
import { atMost, describe, spread, type Measurement } from './measure.ts'
import { stage } from './stage.ts'

export const rest: Measurement = {
  name: 'rest',
  title: 'At rest',
  async run() {
    const scene = await stage()
    try {
      const ready = [scene.daemon.readyMs]
      for (let i = 0; i < 6; i++) {
        await scene.daemon.stop()
        await scene.daemon.start()
        ready.push(scene.daemon.readyMs)
      }
      // The first start also fills the disk cache and the runtime's compile cache.
      const warm = spread(ready.slice(1))
      await pause(8000)
      const [engine] = scene.daemon.enginePids()
      return [
        atMost('start to ready', 1000, 'ms', warm.p50, `${describe(warm)}; first ${ready[0]?.toFixed(0)}`),
        atMost('memory at rest, daemon', 90, 'MB', residentKb(scene.daemon.pid) / 1024),
        atMost('memory at rest, engine', 25, 'MB', residentKb(engine ?? 0) / 1024),
        atMost('memory at rest, the whole box', 180, 'MB', treeKb(scene.daemon.pid) / 1024, 'the daemon and all that it has started'),
      ]
    } finally {
      await scene.close()
    }
  },
}

function treeKb(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + treeKb(child), residentKb(pid))
}
