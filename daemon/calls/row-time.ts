/**
 * The times in the row of a call that lives. Their differences are lengths (how long it rang, was held, was talked), so that all of them move
 * with the clock when it is set: the lengths stay those of the clock that nobody sets.
 */
import { leastStepMs, type Clock } from '../base/clock.ts'
import type { CallRow } from '../store/tables.ts'

export class RowTime {
  readonly #row: CallRow
  readonly #clock: Clock
  /** What the time of day is ahead of the clock that nobody sets. */
  #offset: number

  constructor(row: CallRow, clock: Clock) {
    this.#row = row
    this.#clock = clock
    this.#offset = clock.now() - clock.elapsed()
  }

  /** Milliseconds since the epoch, as the times of the row are. */
  now(): number {
    const now = this.#clock.now()
    const offset = now - this.#clock.elapsed()
    if (this.#row.endedAt === null && this.shift(offset - this.#offset)) this.#offset = offset
    return now
  }

  /** The call was answered so long ago, before this run of the program. `same`: its row says when, and the clock may have been set since. */
  resumed(answeredMs: number, same: boolean): void {
    const answeredAt = this.now() - answeredMs
    if (same && this.#row.answeredAt !== null) this.shift(answeredAt - this.#row.answeredAt)
    this.#row.answeredAt ??= answeredAt
  }

  /** Whether the clock was set by so much, and did not merely drift. */
  shift(stepMs: number): boolean {
    if (Math.abs(stepMs) < leastStepMs) return false
    const row = this.#row
    row.createdAt += stepMs
    if (row.startedAt !== null) row.startedAt += stepMs
    if (row.answeredAt !== null) row.answeredAt += stepMs
    if (row.heldSince !== undefined) row.heldSince += stepMs
    for (const transfer of row.transfers ?? []) transfer.at += stepMs
    for (const step of row.steps ?? []) {
      step.at += stepMs
      if (step.endedAt !== null) step.endedAt += stepMs
    }
    for (const leg of row.legs ?? []) {
      leg.startedAt += stepMs
      if (leg.answeredAt !== null) leg.answeredAt += stepMs
      if (leg.endedAt !== null) leg.endedAt += stepMs
    }
    return true
  }
}
