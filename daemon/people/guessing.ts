/**
 * How often somebody may guess. Five failures of a login from browsers in which nobody with that login ever signed in shut those
 * browsers out for 15 minutes; a browser that the person has used has ten tries of its own, so that a stranger cannot lock the desk
 * out. A login that nobody has is counted in the same way: the answer does not say whether it exists.
 */
import { ApiError } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'

const windowMs = 15 * 60_000
const mostStrange = 5
const mostKnown = 10
const mostEntries = 10_000

interface Tries {
  count: number
  since: number
}

export class Guessing {
  readonly #clock: Clock
  readonly #tries = new Map<string, Tries>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws ApiError `rate_limited`. `browser`: of a browser that the person has used, its hash. */
  mayTry(login: string, browser: string | null): void {
    const tries = this.#current(keyOf(login, browser))
    if (tries === undefined || tries.count < mostOf(browser)) return
    const waitMs = tries.since + windowMs - this.#clock.elapsed()
    throw new ApiError('rate_limited', 'Too many failed sign-ins; try again later.', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  }

  /** Counts one; whether it is the one that shuts out. */
  failed(login: string, browser: string | null): boolean {
    const key = keyOf(login, browser)
    let tries = this.#current(key)
    if (tries === undefined) {
      if (this.#tries.size >= mostEntries) this.#forget()
      this.#tries.set(key, (tries = { count: 0, since: this.#clock.elapsed() }))
    }
    tries.count += 1
    // The time counts from the last one.
    tries.since = this.#clock.elapsed()
    return tries.count === mostOf(browser)
  }

  /** Somebody who may has said that the person comes in again. */
  forget(login: string): void {
    for (const key of [...this.#tries.keys()]) if (key.endsWith(keyOf(login, null))) this.#tries.delete(key)
  }

  signedIn(login: string, browser: string | null): void {
    this.#tries.delete(keyOf(login, browser))
  }

  #current(key: string): Tries | undefined {
    const tries = this.#tries.get(key)
    if (tries !== undefined && this.#clock.elapsed() - tries.since >= windowMs) {
      this.#tries.delete(key)
      return undefined
    }
    return tries
  }

  /** The oldest half: somebody who tries that many logins gains a few more tries of each. */
  #forget(): void {
    const oldest = [...this.#tries].toSorted(([, a], [, b]) => a.since - b.since).slice(0, mostEntries / 2)
    for (const [key] of oldest) this.#tries.delete(key)
  }
}

const keyOf = (login: string, browser: string | null): string => `${browser ?? ''}\n${login.toLowerCase()}`
const mostOf = (browser: string | null): number => (browser === null ? mostStrange : mostKnown)
