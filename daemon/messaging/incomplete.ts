/** Texts of which parts are missing are given to the inbox as they are, when no further part is to be expected: looked at each minute. */
import type { Clock, Timer } from '../clock.ts'
import type { Log } from '../log.ts'
import type { SmsInbound } from './inbound.ts'

const firstMs = 20_000
const minuteMs = 60_000

export interface IncompleteTexts {
  start(): void
  stop(): Promise<void>
}

export function watchIncomplete({ inbound, clock, log }: { inbound: SmsInbound; clock: Clock; log: Log }): IncompleteTexts {
  let timer: Timer | null = null
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  const later = (ms: number): void => {
    timer = clock.after(ms, () => {
      running = inbound
        .flush()
        .catch((error: unknown) => log.error({ err: error }, 'texts without all of their parts could not be stored'))
        .then(() => (stopped ? undefined : later(minuteMs)))
    })
  }
  return {
    start: () => later(firstMs),
    async stop() {
      stopped = true
      timer?.cancel()
      await running
    },
  }
}
