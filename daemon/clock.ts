/** Time as a dependency, so that schedules of hours are tested in milliseconds. */
export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `fn` once, `ms` milliseconds from now, unless the timer is cancelled first. */
  after(ms: number, fn: () => void): Timer
}

/** The longest delay setTimeout takes; a longer one would fire at once. */
const longestTimeoutMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    let handle: NodeJS.Timeout
    const arm = (left: number): void => {
      handle = left > longestTimeoutMs ? setTimeout(arm, longestTimeoutMs, left - longestTimeoutMs) : setTimeout(fn, Math.max(0, left))
    }
    arm(ms)
    return { cancel: () => clearTimeout(handle) }
  },
}

/** One timer that rings at the earliest time that was asked for; asked again, it rings again. */
export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #timer: Timer | null = null
  #at = Infinity

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** At the latest in `ms`. */
  within(ms: number): void {
    const at = this.#clock.now() + ms
    if (this.#timer !== null && this.#at <= at) return
    this.#timer?.cancel()
    this.#at = at
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = null
      this.#ring()
    })
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }
}

/** Resolves when all have ended, however they did, or after `ms`. */
export async function settledWithin(clock: Clock, ms: number, work: Iterable<Promise<unknown>>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = clock.after(ms, () => late.resolve())
  await Promise.race([Promise.allSettled(work), late.promise])
  timer.cancel()
}

/** ISO 8601 UTC, as all times leave the daemon; null stays null. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | null
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
