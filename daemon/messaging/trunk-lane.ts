/** One trunk of the queue: the texts that are due on it, in order, and how many it may be given now. */
import type { SmsTrunk } from '../../drivers/sms.ts'
import type { Job } from './job-list.ts'

/** How often a trunk that is not ready is tried with one text: its own view of itself may be out of date. */
export const probeMs = 30_000

export class TrunkLane {
  readonly trunk: SmsTrunk
  readonly #due: Job[] = []
  #busy = 0
  /** When a trunk that is not ready was tried last, or was first found to be so. */
  #probedAt: number | null = null

  constructor(trunk: SmsTrunk) {
    this.trunk = trunk
  }

  push(job: Job): void {
    this.#due.push(job)
  }

  /** The next text the trunk may be given, which takes a place of its window until `release`. */
  take(now: number): Job | undefined {
    if (this.#due.length === 0) return undefined
    if (this.trunk.status().ok) {
      this.#probedAt = null
      if (this.#busy >= Math.max(1, this.trunk.window)) return undefined
    } else {
      this.#probedAt ??= now
      if (this.#busy > 0 || now - this.#probedAt < probeMs) return undefined
      this.#probedAt = now
    }
    this.#busy += 1
    return this.#due.shift()
  }

  release(): void {
    this.#busy -= 1
  }
}
