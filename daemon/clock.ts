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

/** ISO 8601 UTC, as all times leave the daemon; null stays null. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | null
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
