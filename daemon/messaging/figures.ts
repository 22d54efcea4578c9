/** Counts of texts since the start of the daemon, for those who measure it. */
import type { SmsOutcome } from '../../drivers/sms.ts'
import { Counts, type Tally } from '../base/counts.ts'
import type { SmsRow } from '../store/tables.ts'

export class SmsFigures {
  readonly #ended = new Counts()
  readonly #attempts = new Counts()
  readonly #received = new Counts()
  readonly #segments = new Counts()

  constructor() {
    for (const state of ['sent', 'delivered', 'failed', 'unknown']) this.#ended.add({ state }, 0)
  }

  /** Came into this state, which is an end. A text that was sent may be delivered later. */
  reached({ state }: SmsRow): void {
    this.#ended.add({ state })
  }

  attempt({ trunkId, segments }: SmsRow, { kind }: SmsOutcome): void {
    this.#attempts.add({ trunk: trunkId, outcome: kind })
    if (kind === 'accepted') this.#segments.add({ trunk: trunkId }, segments.length)
  }

  arrived(trunkId: string): void {
    this.#received.add({ trunk: trunkId })
  }

  ended = (): Tally => this.#ended.tally()
  attempts = (): Tally => this.#attempts.tally()
  received = (): Tally => this.#received.tally()
  segments = (): Tally => this.#segments.tally()
}
