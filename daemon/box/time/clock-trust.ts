/**
 * Whether the time of day can be believed: a small box may come up hours off, and nobody is to be rung at night for that. Believed is
 * a clock that followed a time server once since the machine started, and one of which the system does not say.
 */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'

export interface ClockTrustOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Whether the system clock follows a time server; null where the system does not say. */
  readonly ask: () => Promise<boolean | null>
  /** Of this start of the machine. */
  readonly bootId: string
  /** Nobody keeps the clock of this box, and its administrator believes it. */
  readonly always: boolean
}

const askAgainMs = 15_000
const followedKey = 'clockFollowedSince'

export class ClockTrust {
  readonly #options: ClockTrustOptions
  #followed: boolean
  #answer: boolean | null | undefined
  #timer: Timer | null = null
  #stopped = false

  constructor(options: ClockTrustOptions) {
    this.#options = options
    this.#followed = options.store.tables.meta.get(followedKey) === options.bootId
  }

  trusted(): boolean {
    return this.#options.always || this.#followed || this.#answer === true || this.#answer === null
  }

  start(): void {
    if (!this.#options.always) void this.#look()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  async #look(): Promise<void> {
    const { store, clock, log, ask, bootId } = this.#options
    if (this.#followed) return
    const before = this.#answer
    this.#answer = await ask().catch(() => null)
    if (this.#stopped) return
    if (this.#answer === false && before !== false) log.warn('the clock does not follow a time server yet: reminder calls wait')
    if (this.#answer === true) {
      this.#followed = true
      // A line to the outside that fails later makes the clock no worse.
      return void (await store
        .transaction(() => store.tables.meta.put(followedKey, bootId))
        .catch((error: unknown) => log.warn({ err: error }, 'the state of the clock could not be stored')))
    }
    this.#timer = clock.after(askAgainMs, () => void this.#look())
  }
}
