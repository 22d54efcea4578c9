/**
 * How many requests each program may send. A program that shows events to several people has a stream for each of them: a stream brings a
 * bucket of its own, out of which it is opened, and out of which requests are taken when the program's own bucket is empty. The buckets
 * stay where they are when a stream ends: a client that opens it again finds what was left.
 */
import type { Clock } from '../base/clock.ts'
import { RateLimit, type RateState } from './rate.ts'

/** Of one program: a quarter of the streams that there may be. */
const mostViewers = 50

export class CallerRates {
  readonly #rate: RateLimit
  /** By program: the numbers of its streams. */
  readonly #viewers = new Map<string, Set<number>>()

  constructor(perSecond: number, burst: number, clock: Clock) {
    this.#rate = new RateLimit(perSecond, burst, clock)
  }

  take(caller: string): RateState {
    const own = this.#rate.take(caller)
    if (own.retrySeconds === 0) return own
    for (const viewer of this.#viewers.get(caller) ?? []) {
      const state = this.#rate.take(bucketOf(caller, viewer))
      if (state.retrySeconds === 0) return state
    }
    return own
  }

  /** The same of a request that opens a stream. `ended` is to be called once the stream has ended; harmless where it was refused. */
  open(caller: string): { readonly state: RateState; readonly ended: () => void } {
    const viewers = this.#viewers.get(caller) ?? new Set()
    const viewer = firstFree(viewers)
    if (viewer >= mostViewers) return { state: this.take(caller), ended: () => undefined }
    const state = this.#rate.take(bucketOf(caller, viewer))
    if (state.retrySeconds > 0) return { state, ended: () => undefined }
    this.#viewers.set(caller, viewers.add(viewer))
    const ended = (): void => {
      viewers.delete(viewer)
      if (viewers.size === 0) this.#viewers.delete(caller)
    }
    return { state, ended }
  }
}

const bucketOf = (caller: string, viewer: number): string => `${caller}\n${viewer}`

function firstFree(taken: ReadonlySet<number>): number {
  let number = 0
  while (taken.has(number)) number += 1
  return number
}
