/** Removal of rows that are past their time, for every table. */
import { setImmediate as breath } from 'node:timers/promises'
import type { IndexedTable, Store, Table } from './store.ts'

/** Rows that a transaction looks at and removes, so that no other writer waits long. */
const rowsAtOnce = 500

export interface RemoveOldOptions<V> {
  /** Keys from this one on alone. */
  readonly start?: string
  /** Keys before this one alone. */
  readonly end?: string
  readonly isOld: (row: V, key: string) => boolean
  /** Inside a transaction, in place of removing the row and nothing else. */
  readonly remove?: (row: V, key: string) => void
}

/** Piece by piece, with the event loop free in between; the number of rows. A row that changed meanwhile is judged as it is then. */
export async function removeOld<V>(store: Store, table: Table<V>, options: RemoveOldOptions<V>): Promise<number> {
  const { end, isOld, remove } = options
  const removeRow = remove ?? ((_, key) => void table.remove(key))
  let removed = 0
  let { start = '' } = options
  for (;;) {
    const rows = [...table.range({ start, limit: rowsAtOnce, ...(end === undefined ? {} : { end }) })]
    const old = rows.filter(({ key, value }) => isOld(value, key)).map(({ key }) => key)
    if (old.length > 0) removed += await store.transaction(() => removeStillOld(table, old, isOld, removeRow))
    if (rows.length < rowsAtOnce) return removed
    await breath()
    // The key after the last one.
    start = `${rows.at(-1)!.key} `
  }
}

/** The same for a table with an index: rows that ended before that time, and no other row is looked at. `remove`: as above. */
export async function removeEnded<V>(
  store: Store,
  table: IndexedTable<V>,
  before: number,
  remove: (row: V, key: string) => void = (_, key) => void table.remove(key),
): Promise<number> {
  let removed = 0
  while (table.endedBefore(before, 1).length > 0) {
    removed += await store.transaction(() => {
      const keys = table.endedBefore(before, rowsAtOnce)
      for (const key of keys) remove(table.get(key)!, key)
      return keys.length
    })
    await breath()
  }
  return removed
}

function removeStillOld<V>(
  table: Table<V>,
  keys: readonly string[],
  isOld: (row: V, key: string) => boolean,
  remove: (row: V, key: string) => void,
): number {
  let removed = 0
  for (const key of keys) {
    const row = table.get(key)
    if (row === undefined || !isOld(row, key)) continue
    remove(row, key)
    removed += 1
  }
  return removed
}
