/** Counts of reminders since the start of the daemon, for those who measure it. */
import { Counts, type Tally } from '../base/metrics.ts'
import type { ReminderRow } from '../store/tables.ts'

/** A reminder that has not ended, as the queue holds it in memory. */
export interface Job {
  row: ReminderRow
  /** The slot it holds in the plan. */
  booked: number | null
  /** Of the call under way. */
  call: AbortController | null
  /** Inputs whose transaction is not durable yet. */
  writing: number
  /** A person asked for the call: the hours of the site do not count. */
  urged: boolean
  /** The disk refused: not before this. */
  notBefore: number
}

export function newJob(row: ReminderRow): Job {
  return { row, booked: null, call: null, writing: 0, urged: false, notBefore: 0 }
}

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
