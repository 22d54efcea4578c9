/** Removes what is past its time: recordings, ended calls and their traces. Runs at the start and every hour. */
import { callKeyAt } from './calls/recovery.ts'
import type { Audit } from './audit/audit.ts'
import { pruneAudit } from './audit/retention.ts'
import type { Clock, Timer } from './clock.ts'
import type { Log } from './log.ts'
import type { Config } from './schema/config.ts'
import type { Store, Table } from './store/store.ts'
import type { Recordings } from './voice/recordings.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000
/** Rows a transaction removes, so that no other writer waits long. */
const batch = 500

export interface RetentionOptions {
  readonly store: Store
  readonly recordings: Recordings
  readonly audit: Audit
  readonly config: Pick<Config, 'audit' | 'voice'>
  readonly clock: Clock
  readonly log: Log
}

export class Retention {
  readonly #options: RetentionOptions
  #timer: Timer | null = null
  #stopped = false

  constructor(options: RetentionOptions) {
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
    const { recordings, log, store, config } = this.#options
    const { callDays, traceDays } = config.voice
    const { calls, callTraces } = store.tables
    try {
      const removed = {
        recordings: await recordings.purge(),
        traces: await this.#purge(callTraces, Math.min(traceDays, callDays)),
        calls: await this.#purge(calls, callDays),
      }
      await pruneAudit({ ...this.#options, years: config.audit.years })
      if (removed.recordings + removed.traces + removed.calls > 0) log.info(removed, 'removed what was past its time')
    } catch (error) {
      log.error({ err: error }, 'old recordings and calls could not be removed')
    }
    if (!this.#stopped) this.#timer = this.#options.clock.after(hourMs, () => void this.#turn())
  }

  async #purge(table: Table<unknown>, days: number): Promise<number> {
    const { store, clock } = this.#options
    const end = callKeyAt(clock.now() - days * dayMs)
    let removed = 0
    while (!this.#stopped) {
      const keys = [...table.range({ end, limit: batch })].map(({ key }) => key)
      if (keys.length === 0) break
      await store.transaction(() => {
        for (const key of keys) table.remove(key)
      })
      removed += keys.length
    }
    return removed
  }
}
