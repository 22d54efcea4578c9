/** Writes down what happened and cannot be taken back: a full disk may be repaired, a lost row may not. */
import { pause, type Clock, settledWithin } from '../base/clock.ts'

// Work that no code awaits: its failures are logged, and a stop gives it time to finish.

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

/** Between two tries, and until what could not be begun for want of the disk is looked at again. */
export const rewriteMs = 5000

export interface KeepOptions {
  readonly clock: Clock
  /** The disk refused; another try follows, but for the last. */
  readonly failed: (error: unknown) => void
  /** Whether the daemon stops: a try that fails then is the last. By default it never does. */
  readonly stopped?: () => boolean
  /** Ends the wait for the next try. */
  readonly signal?: AbortSignal
}

/** Tries until `write` has resolved, which means durable. False: given up because of the stop; the next start finds what was before. */
export async function keep(write: () => Promise<unknown>, { clock, failed, stopped, signal }: KeepOptions): Promise<boolean> {
  for (;;) {
    try {
      await write()
      return true
    } catch (error) {
      failed(error)
      if (stopped?.() === true) return false
      await pause(clock, rewriteMs, signal)
    }
  }
}
