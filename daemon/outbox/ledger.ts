/**
 * Writes the results of attempts, many in one commit. A crash loses the last few: those callbacks are sent once more,
 * which "at least once" allows.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { removeEnded, removeOld } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'
import type { OutboxDoneRow, OutboxRow } from '../store/tables.ts'

type Result = { row: OutboxRow } | { done: OutboxDoneRow }

const day = 86_400_000
export const deliveredKeptMs = 7 * day
export const deliveredKept = 1000
const retryWriteMs = 1000

export class Ledger {
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #batchMs: number
  readonly #deadMs: number
  #results = new Map<string, Result>()
  #writing: Promise<void> | undefined
  #batch: NodeJS.Timeout | undefined

  constructor(options: { store: Store; clock: Clock; log: Log; batchMs: number; deadMs: number }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#log = options.log
    this.#batchMs = options.batchMs
    this.#deadMs = options.deadMs
  }

  /** The row as it is after every attempt so far; undefined where it is delivered or given up. */
  current(eventId: string): OutboxRow | undefined {
    const result = this.#results.get(eventId)
    if (result === undefined) return this.#store.tables.outbox.get(eventId)
    return 'row' in result ? result.row : undefined
  }

  again(row: OutboxRow): void {
    this.#note(row.eventId, { row })
  }

  done(row: OutboxRow, outcome: 'delivered' | 'dead', endedAt: number): void {
    const { nextAt: _, ...rest } = row
    this.#note(row.eventId, { done: { ...rest, body: outcome === 'delivered' ? '' : row.body, outcome, endedAt } })
  }

  /** Writes what waits. Rejects where the store refuses; the results are kept. */
  async flush(): Promise<void> {
    clearTimeout(this.#batch)
    this.#batch = undefined
    await this.#writing?.catch(() => {})
    if (this.#results.size === 0) return
    const results = [...this.#results]
    this.#writing = this.#store.transaction(() => this.#write(results))
    try {
      await this.#writing
      // A newer result of the same callback stays.
      for (const [eventId, result] of results) if (this.#results.get(eventId) === result) this.#results.delete(eventId)
    } finally {
      this.#writing = undefined
    }
  }

  async stop(): Promise<void> {
    await this.flush().catch((error: unknown) => this.#log.error({ error: String(error) }, 'results of callbacks could not be written'))
    clearTimeout(this.#batch)
  }

  #note(eventId: string, result: Result): void {
    this.#results.set(eventId, result)
    this.#schedule(this.#batchMs)
  }

  #schedule(ms: number): void {
    this.#batch ??= setTimeout(() => {
      this.flush().then(
        () => this.#results.size > 0 && this.#schedule(this.#batchMs),
        (error: unknown) => {
          this.#log.error({ error: String(error) }, 'results of callbacks could not be written')
          this.#schedule(retryWriteMs)
        },
      )
    }, ms)
  }

  #write(results: readonly (readonly [string, Result])[]): void {
    const { outbox, outboxDone, deadLetters } = this.#store.tables
    for (const [eventId, result] of results) {
      // Its words may have been deleted since the attempt began.
      const stored = outbox.get(eventId)?.body
      if ('row' in result) {
        outbox.put(eventId, { ...result.row, body: stored ?? result.row.body })
      } else {
        outbox.remove(eventId)
        const dead = result.done.outcome === 'dead'
        if (dead) deadLetters.put(eventId, { ...result.done, body: stored ?? result.done.body })
        else outboxDone.put(eventId, result.done)
      }
    }
    const surplus = outboxDone.count() - deliveredKept
    if (surplus > 0) for (const { key } of outboxDone.range({ limit: surplus })) outboxDone.remove(key)
  }

  /** Removes callbacks that ended long ago; how many. */
  async sweep(): Promise<number> {
    const { outboxDone, deadLetters } = this.#store.tables
    const now = this.#clock.now()
    const given = await removeEnded(this.#store, deadLetters, now - this.#deadMs)
    return given + (await removeOld(this.#store, outboxDone, { isOld: ({ endedAt }) => endedAt < now - deliveredKeptMs }))
  }
}
