/** Work that no code awaits: its failures are logged, and a stop gives it time to finish. */
import { settledWithin, type Clock } from '../base/clock.ts'

/** For what is under way while the daemon stops. */
const lastWordMs = 3000

export class UnderWay {
  readonly #work = new Set<Promise<unknown>>()
  readonly #failed: (error: unknown) => void

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  /** Resolves when it has ended, however it did. */
  track(work: Promise<unknown>): Promise<void> {
    const tracked: Promise<void> = work.then(() => undefined, this.#failed).finally(() => this.#work.delete(tracked))
    this.#work.add(tracked)
    return tracked
  }

  /** Resolves when all has ended, or after a moment. */
  lastWord(clock: Clock, ms = lastWordMs): Promise<void> {
    return settledWithin(clock, ms, this.#work)
  }
}
