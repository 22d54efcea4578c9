/** Removes what is past its time: rows of texts, references that no report will name any more, marks of what was received. */
import type { Clock, Timer } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store, Table } from '../store/store.ts'
import { isWaiting } from './job.ts'
import type { SmsInbound } from './inbound.ts'

export interface RetentionOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly inbound: SmsInbound
  readonly keepMs: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Networks report for some days at most. */
const referencesMs = 14 * dayMs
/** A modem that was away gives texts again that it kept; a provider lists old ones. */
const seenMs = { network: 14 * dayMs, provider: 60 * dayMs } as const
const batch = 500

export class SmsRetention {
  readonly #options: RetentionOptions
  #timer: Timer | null = null
  #stopped = true
  #purgedAt = -Infinity
  #running: Promise<void> = Promise.resolve()

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  start(): void {
    this.#stopped = false
    this.#later(20_000)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#running
  }

  #later(ms: number): void {
    this.#timer = this.#options.clock.after(ms, () => {
      this.#running = this.#turn().then(() => (this.#stopped ? undefined : this.#later(minuteMs)))
    })
  }

  async #turn(): Promise<void> {
    const { clock, log, inbound } = this.#options
    try {
      await inbound.flush()
      if (clock.now() - this.#purgedAt < hourMs) return
      this.#purgedAt = clock.now()
      await this.purge()
    } catch (error) {
      log.error({ err: error }, 'old texts could not be removed')
    }
  }

  /** The number of texts that were removed. */
  async purge(): Promise<number> {
    const { store, clock, log, keepMs } = this.#options
    const { sms, smsReferences, smsSeen } = store.tables
    const now = clock.now()
    const texts = await this.#remove(sms, (row) => !isWaiting(row.state) && now - row.createdAt > keepMs)
    await this.#remove(smsReferences, (row) => now - row.at > referencesMs)
    await this.#remove(smsSeen, (row, key) => now - row.at > (key.startsWith('network/') ? seenMs.network : seenMs.provider))
    if (texts > 0) log.info({ texts }, 'removed texts past their time')
    return texts
  }

  /** Piece by piece, so that no other writer waits long. */
  async #remove<V>(table: Table<V>, isOld: (row: V, key: string) => boolean): Promise<number> {
    let removed = 0
    let start = ''
    for (;;) {
      const rows = [...table.range({ start, limit: batch })]
      const old = rows.filter(({ key, value }) => isOld(value, key))
      if (old.length > 0) {
        await this.#options.store.transaction(() => {
          for (const { key } of old) table.remove(key)
        })
      } else await new Promise<void>((resolve) => setImmediate(resolve))
      removed += old.length
      if (rows.length < batch || this.#stopped) return removed
      // The key after the last one.
      start = `${rows.at(-1)!.key} `
    }
  }
}
