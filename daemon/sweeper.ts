/** Removes what is past its time, of every part, one after the other: soon after the start and then every hour. */
import type { Clock, Timer } from './clock.ts'
import type { Log } from './log.ts'
import type { Part } from './part.ts'

const firstMs = 10_000
const hourMs = 3_600_000

export interface Sweeper {
  start(): void
  /** What is being swept ends first. */
  stop(): Promise<void>
}

export function createSweeper({ parts, clock, log }: { parts: readonly Part[]; clock: Clock; log: Log }): Sweeper {
  let timer: Timer | null = null
  let stopped = false
  let sweeping: Promise<void> = Promise.resolve()
  const turn = async (): Promise<void> => {
    const removed: Record<string, number> = {}
    for (const { what, sweep } of parts.flatMap(({ sweeps = [] }) => sweeps)) {
      if (stopped) break
      try {
        const count = await sweep()
        if (count > 0) removed[what] = count
      } catch (error) {
        log.error({ err: error, what }, 'what is past its time could not be removed')
      }
    }
    if (Object.keys(removed).length > 0) log.info({ removed }, 'removed what was past its time')
  }
  const later = (ms: number): void => {
    timer = clock.after(ms, () => {
      sweeping = turn().then(() => (stopped ? undefined : later(hourMs)))
    })
  }
  return {
    start: () => later(firstMs),
    async stop() {
      stopped = true
      timer?.cancel()
      await sweeping
    },
  }
}
