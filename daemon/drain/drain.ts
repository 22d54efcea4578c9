/**
 * A drain that outlives restarts: new calls are refused with 503, what is accepted waits, nothing is dialled, and calls in progress go on
 * to their end or to the moment that was given. Calls for help are placed all the same.
 */
import { isoTime, type Clock, type Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { DrainView } from '../schema/drain.ts'
import type { Store } from '../store/store.ts'

interface Standing {
  /** Milliseconds since the epoch. */
  readonly since: number
  /** null: calls end by themselves. */
  readonly until: number | null
}

export interface DrainOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly calls: Pick<Calls, 'live' | 'hold'>
  /** A call for help is not ended. */
  readonly isHelp: (call: Call) => boolean
  /** Calls that wait to be dialled. */
  readonly waiting: () => number
  /** Has every part hold what it would begin, or begin it. */
  readonly hold: (on: boolean) => void
}

const key = 'drain'
/** setTimeout goes no further. */
const longestSleepMs = 3_600_000

export class Drain {
  readonly #options: DrainOptions
  #standing: Standing | null = null
  #timer: Timer | null = null

  constructor(options: DrainOptions) {
    this.#options = options
  }

  get on(): boolean {
    return this.#standing !== null
  }

  /** Takes up the drain that stood before a restart. */
  start(): void {
    const kept = this.#options.store.tables.meta.get(key)
    if (typeof kept === 'string') this.#take(JSON.parse(kept) as Standing)
  }

  stop(): void {
    this.#timer?.cancel()
  }

  /** `seconds`: how long calls may go on; undefined: to their end. `alongside` runs in the transaction that keeps it. */
  async begin(seconds: number | undefined, alongside: () => void): Promise<void> {
    const { store, clock, log } = this.#options
    const now = clock.now()
    const standing = { since: this.#standing?.since ?? now, until: seconds === undefined ? null : now + seconds * 1000 }
    await store.transaction(() => {
      store.tables.meta.put(key, JSON.stringify(standing))
      alongside()
    })
    log.warn({ seconds }, 'the box takes no new calls until: pbx drain --off')
    this.#take(standing)
  }

  async end(alongside: () => void): Promise<void> {
    const { store, calls, hold, log } = this.#options
    await store.transaction(() => {
      store.tables.meta.remove(key)
      alongside()
    })
    this.#timer?.cancel()
    if (this.#standing === null) return
    this.#standing = null
    calls.hold(false)
    hold(false)
    log.info('the box takes calls again')
  }

  view(): DrainView {
    const { calls, waiting } = this.#options
    const { since = null, until = null } = this.#standing ?? {}
    const queued = waiting()
    return {
      draining: this.on,
      since: isoTime(since),
      until: isoTime(until),
      calls: Math.max(0, calls.live().length - queued),
      waiting: queued,
    }
  }

  /** The clock was set: calls have as much time as they had. */
  stepped(stepMs: number): void {
    const standing = this.#standing
    if (standing?.until != null) this.#standing = { ...standing, until: standing.until + stepMs }
  }

  #take(standing: Standing): void {
    const { calls, hold } = this.#options
    this.#standing = standing
    calls.hold(true)
    hold(true)
    this.#watch()
  }

  #watch(): void {
    this.#timer?.cancel()
    const { clock, calls, isHelp } = this.#options
    const until = this.#standing?.until ?? null
    if (until === null) return
    const leftMs = until - clock.now()
    if (leftMs > 0) {
      this.#timer = clock.after(Math.min(leftMs, longestSleepMs), () => this.#watch())
      return
    }
    for (const call of calls.live())
      if (call.leg !== null && !isHelp(call)) call.end({ reason: 'shutdown', by: 'system' }, { sipCode: 503, cause: 41 })
  }
}
