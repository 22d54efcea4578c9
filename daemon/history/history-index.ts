/** Which calls a number outside had a part in, which are of a party, and where the call with an id is, found without reading all others. */
import { setImmediate as breath } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import type { HistoryRow } from '../store/tables.ts'

/** Rows made part of the index in one transaction. */
const batch = 500
/** Of the index as it is now: before, it had numbers and ids of calls alone. */
const indexed = 'historyIndexedByParty'

export class HistoryIndex {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Inside the transaction that writes the row with this key. */
  add(key: string, row: HistoryRow): void {
    for (const name of namesOf(row)) this.#store.tables.historyNumbers.put(`${name} ${key}`, true)
  }

  /** Inside the transaction that removes the row. */
  remove(key: string, row: HistoryRow): void {
    for (const name of namesOf(row)) this.#store.tables.historyNumbers.remove(`${name} ${key}`)
  }

  /** Newest first. */
  newest(number: string, limit: number): HistoryRow[] {
    return this.#keys(number, limit).flatMap((key) => this.#store.tables.history.get(key) ?? [])
  }

  /** Whether it has all rows. */
  get built(): boolean {
    return this.#store.tables.meta.get(indexed) === true
  }

  /** Rows of a number, or of a `partyName`, before that of the key `end`, newest first. */
  rowsBefore(name: string, end: string | undefined, limit: number): { key: string; value: HistoryRow }[] {
    return this.#keys(name, limit, end).flatMap((key) => {
      const value = this.#store.tables.history.get(key)
      return value === undefined ? [] : { key, value }
    })
  }

  /** Calls of this party, newest first. */
  ofParty(id: string, limit: number): HistoryRow[] {
    return this.newest(partyName(id), limit)
  }

  /** Key of the row of that call. */
  keyOf(callId: string): string | undefined {
    return this.#keys(callId, 1)[0]
  }

  /** Newest first. */
  #keys(name: string, limit: number, before?: string): string[] {
    const end = before === undefined ? `${name}!` : `${name} ${before}`
    const rows = this.#store.tables.historyNumbers.rows({ start: `${name} `, end, reverse: true, limit })
    return rows.map(({ key }) => key.slice(name.length + 1))
  }

  /** Once, for the rows of a store written before this index existed. */
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

function namesOf({ callId, from, to, legs, customerId }: HistoryRow): Set<string> {
  const numbers = [from, to, ...legs.map((leg) => leg.to)].filter((number) => /^\+\d+$/.test(number))
  return new Set([callId, ...numbers, ...(customerId === undefined ? [] : [partyName(customerId)])])
}

/** Ids of parties may have spaces. */
export const partyName = (id: string): string => `@${encodeURIComponent(id)}`
