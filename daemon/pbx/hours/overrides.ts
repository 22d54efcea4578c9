/**
 * Hours that people open or close by hand, for a while or until they take it back. Durable; observers are notified of changes, of the end
 * too.
 */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { HoursOverrideRow } from '../../store/tables.ts'

/** Timers do not reach further than some weeks. */
const longestTimerMs = 86_400_000

export class Overrides {
  readonly #store: Store
  readonly #clock: Clock
  readonly #observers = new Set<(id: string) => void>()
  readonly #ends = new Map<string, Timer>()

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** What holds for these hours at an instant (milliseconds since the epoch); null where the calendar does. */
  at(id: string, at: number): HoursOverrideRow | null {
    const row = this.#store.tables.hoursOverrides.get(id)
    return row === undefined || (row.until !== null && row.until <= at) ? null : row
  }

  /** `row`: null for the calendar. Resolves when it is durable. `alongside` runs in the transaction. */
  async set(id: string, row: HoursOverrideRow | null, alongside: () => void = () => undefined): Promise<void> {
    const { hoursOverrides } = this.#store.tables
    await this.#store.transaction(() => {
      if (row === null) hoursOverrides.remove(id)
      else hoursOverrides.put(id, row)
      alongside()
    })
    this.#await(id)
    this.#tell(id)
  }

  /** The observer is called with the id of hours that are, or are no longer, set by hand. */
  onChange(tell: (id: string) => void): void {
    this.#observers.add(tell)
  }

  start(): void {
    for (const { key } of this.#store.tables.hoursOverrides.range()) this.#await(key)
  }

  stop(): void {
    for (const timer of this.#ends.values()) timer.cancel()
    this.#ends.clear()
  }

  /** Waits for the end of what holds now. */
  #await(id: string): void {
    this.#ends.get(id)?.cancel()
    this.#ends.delete(id)
    const now = this.#clock.now()
    const until = this.at(id, now)?.until ?? null
    if (until === null) return
    const over = (): void => (this.at(id, this.#clock.now()) === null ? this.#tell(id) : this.#await(id))
    this.#ends.set(id, this.#clock.after(Math.min(longestTimerMs, until - now), over))
  }

  #tell(id: string): void {
    for (const observe of this.#observers) observe(id)
  }
}
