/** Counts of reminders since the start of the daemon, for those who measure it. */
import type { ReminderRow } from '../store/tables.ts'

export type Tally = readonly (readonly [labels: Record<string, string>, value: number])[]

export class ReminderFigures {
  readonly #ended = new Map<string, number>()
  readonly #attempts = new Map<string, number>()

  over({ outcome }: ReminderRow): void {
    add(this.#ended, outcome ?? 'failed')
  }

  /** A call of a reminder. */
  attempt(result: string): void {
    add(this.#attempts, result)
  }

  ended(): Tally {
    return [...this.#ended].map(([outcome, value]) => [{ outcome }, value])
  }

  attempts(): Tally {
    return [...this.#attempts].map(([result, value]) => [{ result }, value])
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
