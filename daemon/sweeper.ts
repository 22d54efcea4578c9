/** Removes what is past its time, of every part, one after the other: soon after the start and then every hour. */
import { repeated, type Clock, type Repeated } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Part } from './part.ts'

const times = { firstMs: 10_000, everyMs: 3_600_000 }

export function createSweeper({ parts, clock, log }: { parts: () => readonly Part[]; clock: Clock; log: Log }): Repeated {
  let stopping = false
  const turn = async (): Promise<void> => {
    const removed: Record<string, number> = {}
    for (const { what, sweep } of parts().flatMap(({ sweeps = [] }) => sweeps)) {
      if (stopping) break
      try {
        const count = await sweep()
        if (count > 0) removed[what] = count
      } catch (error) {
        log.error({ err: error, what }, 'what is past its time could not be removed')
      }
    }
    if (Object.keys(removed).length > 0) log.info({ removed }, 'removed what was past its time')
  }
  const { start, stop } = repeated(clock, times, turn)
  return {
    start,
    stop() {
      stopping = true
      return stop()
    },
  }
}
