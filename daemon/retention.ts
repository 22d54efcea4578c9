/** Removes what is past its time: recordings, ended calls and their traces. Runs at the start and every hour. */
import { callKeyAt } from './calls/recovery.ts'
import type { Clock, Timer } from './clock.ts'
import type { Log } from './log.ts'
import type { Store } from './store/store.ts'
import type { Recordings } from './voice/recordings.ts'

const hourMs = 3_600_000
const keepCallsMs = 90 * 86_400_000
/** Rows a transaction removes, so that no other writer waits long. */
const batch = 500

export class Retention {
  readonly #options: { store: Store; recordings: Recordings; clock: Clock; log: Log }
  #timer: Timer | null = null
  #stopped = false

  constructor(options: { store: Store; recordings: Recordings; clock: Clock; log: Log }) {
    this.#options = options
  }

  start(): void {
    this.#timer = this.#options.clock.after(10_000, () => void this.#turn())
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  async #turn(): Promise<void> {
    const { recordings, log } = this.#options
    try {
      const removed = { recordings: await recordings.purge(), calls: await this.#purgeCalls() }
      if (removed.recordings + removed.calls > 0) log.info(removed, 'removed what was past its time')
    } catch (error) {
      log.error({ err: error }, 'old recordings and calls could not be removed')
    }
    if (!this.#stopped) this.#timer = this.#options.clock.after(hourMs, () => void this.#turn())
  }

  async #purgeCalls(): Promise<number> {
    const { store, clock } = this.#options
    const end = callKeyAt(clock.now() - keepCallsMs)
    let removed = 0
    while (!this.#stopped) {
      const keys = [...store.tables.calls.range({ end, limit: batch })].map(({ key }) => key)
      if (keys.length === 0) break
      await store.transaction(() => {
        for (const key of keys) {
          store.tables.calls.remove(key)
          store.tables.callTraces.remove(key)
        }
      })
      removed += keys.length
    }
    return removed
  }
}
