/** The simulator's time: milliseconds of the line, which may run faster than the clock it is made from. */

export interface SimTimer {
  cancel(): void
}

/** The daemon's clock fits, and so does a test's. */
export interface SimClock {
  now(): number
  after(ms: number, fn: () => void): SimTimer
}

export const realClock: SimClock = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** A clock that starts at 0 and runs `speed` times as fast as the one given. */
export function lineClock(clock: SimClock, speed: number): SimClock {
  const start = clock.now()
  return {
    now: () => (clock.now() - start) * speed,
    after: (ms, fn) => clock.after(Math.max(0, ms / speed), fn),
  }
}
