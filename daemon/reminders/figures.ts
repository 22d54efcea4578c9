/** Counts of reminders since the start of the daemon, for those who measure it. */
import { Counts, type Tally } from '../base/metrics.ts'
import type { ReminderRow } from '../store/tables.ts'

export class ReminderFigures {
  readonly #ended = new Counts()
  readonly #attempts = new Counts()

  over({ outcome }: ReminderRow): void {
    this.#ended.add({ outcome: outcome ?? 'failed' })
  }

  /** A call of a reminder. */
  attempt(result: string): void {
    this.#attempts.add({ result })
  }

  ended(): Tally {
    return this.#ended.tally()
  }

  attempts(): Tally {
    return this.#attempts.tally()
  }
}
