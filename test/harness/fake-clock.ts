/** A clock that stands still until a test moves it. Timers fire in order of their time, then of their making, whatever the time of day is set to. */
import type { Clock, Timer } from '../../daemon/base/clock.ts'

interface Pending {
  at: number
  order: number
  fn: () => void
}

export class FakeClock implements Clock {
  /** The time of day is `#elapsed + #offset`. */
  #elapsed = 0
  #offset: number
  #order = 0
  #pending: Pending[] = []

  constructor(now = Date.parse('2026-03-02T14:05:11.000Z')) {
    this.#offset = now
  }

  now(): number {
    return this.#elapsed + this.#offset
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(ms: number, fn: () => void): Timer {
    const entry = { at: this.#elapsed + Math.max(0, ms), order: this.#order++, fn }
    this.#pending.push(entry)
    return {
      cancel: () => {
        this.#pending = this.#pending.filter((other) => other !== entry)
      },
    }
  }

  /** Milliseconds until the next timer, or undefined where none waits. */
  get next(): number | undefined {
    const first = this.#first()
    return first === undefined ? undefined : Math.max(0, first.at - this.#elapsed)
  }

  get pending(): number {
    return this.#pending.length
  }

  /** Moves time and runs every timer that falls due, also those that timers set on the way. */
  advance(ms: number): void {
    const target = this.#elapsed + ms
    for (let first = this.#first(); first !== undefined && first.at <= target; first = this.#first()) {
      this.#pending = this.#pending.filter((other) => other !== first)
      this.#elapsed = Math.max(this.#elapsed, first.at)
      first.fn()
    }
    this.#elapsed = target
  }

  /** Sets the time without running timers, as a correction of the system clock does. */
  set(now: number): void {
    this.#offset = now - this.#elapsed
  }

  #first(): Pending | undefined {
    let best: Pending | undefined
    for (const entry of this.#pending) {
      if (best === undefined || entry.at < best.at || (entry.at === best.at && entry.order < best.order)) best = entry
    }
    return best
  }
}
