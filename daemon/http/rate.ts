/** Token buckets: how many requests one caller may send. */
import type { Clock } from '../base/clock.ts'

export interface RateState {
  /** Requests that fit in a full bucket. */
  readonly limit: number
  readonly remaining: number
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number
  /** Seconds until the next request is allowed; 0 where this one is. */
  readonly retrySeconds: number
}

interface Bucket {
  level: number
  at: number
}

/** More callers than this are not remembered one by one: the fullest buckets are forgotten, which forgives, never blocks. */
const mostBuckets = 10_000

export class RateLimit {
  readonly #perMs: number
  readonly #burst: number
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number, burst: number, clock: Clock) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#clock = clock
  }

  /** Takes one request out of the caller's bucket, if there is one. */
  take(caller: string): RateState {
    const now = this.#clock.elapsed()
    let bucket = this.#buckets.get(caller)
    if (bucket === undefined) {
      if (this.#buckets.size >= mostBuckets) this.#forgetFull(now)
      bucket = { level: this.#burst, at: now }
      this.#buckets.set(caller, bucket)
    } else {
      bucket.level = Math.min(this.#burst, bucket.level + Math.max(0, now - bucket.at) * this.#perMs)
      bucket.at = now
    }
    const allowed = bucket.level >= 1
    if (allowed) bucket.level -= 1
    return {
      limit: this.#burst,
      remaining: Math.floor(bucket.level),
      resetSeconds: Math.ceil((this.#burst - bucket.level) / this.#perMs / 1000),
      retrySeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - bucket.level) / this.#perMs / 1000)),
    }
  }

  #forgetFull(now: number): void {
    for (const [caller, bucket] of this.#buckets) {
      if (bucket.level + (now - bucket.at) * this.#perMs >= this.#burst) this.#buckets.delete(caller)
    }
    if (this.#buckets.size >= mostBuckets) this.#buckets.clear()
  }
}
