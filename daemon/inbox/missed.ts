/** Fax calls that brought no page: the caller hung up before the first, or the two machines did not come to terms. */
import type { Store } from '../store/store.ts'
import type { FaxMissedRow } from '../store/tables.ts'

export class MissedFaxes {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Inside a transaction. */
  add(row: FaxMissedRow): void {
    this.#store.tables.faxMissed.put(row.id, row)
  }

  count(): number {
    return this.#store.tables.faxMissed.count()
  }

  /** The newest, oldest of them first. */
  newest(limit: number): FaxMissedRow[] {
    const rows: FaxMissedRow[] = []
    for (const { value } of this.#store.tables.faxMissed.range({ reverse: true, limit })) rows.unshift(value)
    return rows
  }

  async purge(before: number): Promise<void> {
    const { faxMissed } = this.#store.tables
    const old: string[] = []
    // Ids grow with time.
    for (const { key, value } of faxMissed.range()) {
      if (value.at >= before) break
      old.push(key)
    }
    if (old.length === 0) return
    await this.#store.transaction(() => {
      for (const key of old) faxMissed.remove(key)
    })
  }
}
