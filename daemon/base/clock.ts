/** Time as a dependency, so that schedules of hours are tested in milliseconds. */
import { readFileSync } from 'node:fs'

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds since the Unix epoch: for what is shown or kept. It can be set, forward and back. */
  now(): number
  /** Milliseconds since some moment before the start, which nobody can set; whole: for all that lasts or is waited for while the daemon runs. */
  elapsed(): number
  /** Calls `fn` once, `ms` milliseconds from now, unless the timer is canceled first. */
  after(ms: number, fn: () => void): Timer
}

/** The longest delay setTimeout takes; a longer one would fire at once. */
const longestTimeoutMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  after(ms, fn) {
    let handle: NodeJS.Timeout
    const arm = (left: number): void => {
      handle = left > longestTimeoutMs ? setTimeout(arm, longestTimeoutMs, left - longestTimeoutMs) : setTimeout(fn, Math.max(0, left))
    }
    arm(ms)
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Of this start of the machine, as the kernel names it: time since the start counts within one. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Without it every restart of the daemon counts as one of the machine.
    return `process ${process.pid}`
  }
}

/** One timer that rings at the earliest time that was asked for; asked again, it rings again. */
export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #timer: Timer | null = null
  #at = Infinity
  #stopped = false

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** At the latest in `ms`. */
  within(ms: number): void {
    if (this.#stopped) return
    const at = this.#clock.elapsed() + ms
    if (this.#timer !== null && this.#at <= at) return
    this.#timer?.cancel()
    this.#at = at
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = null
      this.#ring()
    })
  }

  /** It does not ring, unless it is asked again. */
  cancel(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  /** It rings no more: what ends later may still ask, and what it would look at is closed by then. */
  stop(): void {
    this.#stopped = true
    this.cancel()
  }
}

/** A clock that moves by less was not set: a time server that slews moves it by half a millisecond a second at most. */
export const leastStepMs = 1000

/** A moment that was reckoned as "so much from now" before the clock was set: as far away as it was, and never further than `longestMs`. */
export function afterStep(at: number, stepMs: number, now: number, longestMs: number): number {
  return Math.min(at + stepMs, now + longestMs)
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const aborted = (): void => resolve()
  signal?.addEventListener('abort', aborted, { once: true })
  const timer = clock.after(ms, resolve)
  await promise
  timer.cancel()
  signal?.removeEventListener('abort', aborted)
}

/**
 * A signal that aborts after `ms`, with the reason of `AbortSignal.timeout`, or with one of `others`, until `done`. `AbortSignal.any` keeps a part of
 * each signal that it makes for as long as one of those that it is made of lives, and what stops the daemon lives to its end.
 */
export function timeLimit(ms: number, ...others: readonly AbortSignal[]): { readonly signal: AbortSignal; done(): void } {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new DOMException('It took too long.', 'TimeoutError')), ms).unref()
  const removals = others.map((other) => {
    const end = (): void => limit.abort(other.reason)
    if (other.aborted) end()
    other.addEventListener('abort', end)
    return () => other.removeEventListener('abort', end)
  })
  return {
    signal: limit.signal,
    done() {
      clearTimeout(timer)
      for (const remove of removals) remove()
    },
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
  if (ms === null) return null
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() }
  return lastTime.text
}

/** Much of what happens in one millisecond is given its time. */
let lastTime = { ms: 0, text: new Date(0).toISOString() }

export interface Repeated {
  start(): void
  /** What is being done ends first; nothing begins afterwards. */
  stop(): Promise<void>
}

/** Does `work`, which never rejects, after `firstMs` and then again `everyMs` after it ended. */
export function repeated(clock: Clock, { firstMs, everyMs }: { firstMs: number; everyMs: number }, work: () => Promise<void>): Repeated {
  let timer: Timer | null = null
  let stopped = false
  let working: Promise<void> = Promise.resolve()
  const later = (ms: number): void => {
    timer = clock.after(ms, () => {
      working = work().then(() => (stopped ? undefined : later(everyMs)))
    })
  }
  return {
    start: () => later(firstMs),
    async stop() {
      stopped = true
      timer?.cancel()
      await working
    },
  }
}
