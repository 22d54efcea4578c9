/** Which calls a number outside had a part in, found without reading all others. */
import { setImmediate as breath } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import type { HistoryRow } from '../store/tables.ts'

/** Rows made part of the index in one transaction. */
const batch = 500
const indexed = 'historyNumbersIndexed'

export class HistoryByNumber {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Inside the transaction that writes the row with this key. */
  add(key: string, row: HistoryRow): void {
    for (const number of numbersOf(row)) this.#store.tables.historyNumbers.put(`${number} ${key}`, true)
  }

  /** Inside the transaction that removes the row. */
  remove(key: string, row: HistoryRow): void {
    for (const number of numbersOf(row)) this.#store.tables.historyNumbers.remove(`${number} ${key}`)
  }

  /** Newest first. */
  newest(number: string, limit: number): HistoryRow[] {
    const { history, historyNumbers } = this.#store.tables
    const keys = historyNumbers.range({ start: `${number} `, end: `${number}!`, reverse: true, limit })
    return [...keys].flatMap(({ key }) => history.get(key.slice(number.length + 1)) ?? [])
  }

  /** Once, for the rows of a store of before this index. */
  async build(): Promise<void> {
    const { history, meta } = this.#store.tables
    if (meta.get(indexed) === true) return
    let start: string | undefined
    for (;;) {
      const rows = [...history.range({ limit: batch, ...(start === undefined ? {} : { start }) })]
      await this.#store.transaction(() => {
        // One may have been removed since.
        for (const { key } of rows) {
          const row = history.get(key)
          if (row !== undefined) this.add(key, row)
        }
        if (rows.length < batch) meta.put(indexed, true)
      })
      if (rows.length < batch) return
      start = `${rows.at(-1)!.key}!`
      await breath()
    }
  }
}

function numbersOf({ from, to, legs }: HistoryRow): Set<string> {
  return new Set([from, to, ...legs.map((leg) => leg.to)].filter((number) => number.startsWith('+')))
}
