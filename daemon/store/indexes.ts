/**
 * What is kept next to a table whose rows have an end: the keys of rows that are pending, and the others by the time they ended. A start
 * reads the first and a sweep the second, and neither parses what was kept for months. Written by `put` and `remove` themselves, in the
 * same transaction. A change to an index raises the version of its table: the index is then rebuilt as rows are migrated.
 */
import type { RowIndex } from './row-index.ts'
import type { Table } from './table.ts'
import { rowIndexes } from './tables.ts'

export interface IndexedTable<V> extends Table<V> {
  /** In order of the keys. Read it to its end or not at all across an await. */
  pending(): Iterable<{ key: string; value: V }>
  /** Keys of rows that ended before that time, the one that ended first first. */
  endedBefore(at: number, limit: number): string[]
}

export function indexOf(table: string): RowIndex<unknown> | undefined {
  return (rowIndexes as Readonly<Record<string, RowIndex<never>>>)[table] as RowIndex<unknown> | undefined
}

/** Where a row stands in the table `indexes`. */
export function indexKey<V>(table: string, index: RowIndex<V>, key: string, row: V): string {
  return index.pending(row) ? `${pendingPrefix(table)}${key}` : `${endedPrefix(table)}${timeDigits(index.endedAt(row))}/${key}`
}

const pendingPrefix = (table: string): string => `${table}/pending/`
const endedPrefix = (table: string): string => `${table}/ended/`
const timeDigits = (at: number): string => String(Math.max(0, at)).padStart(15, '0')
/** The first key that does not begin so: `0` follows `/`. */
const behind = (prefix: string): string => `${prefix.slice(0, -1)}0`

/** All keys of one table in `indexes`. */
export const boundsOfIndex = (table: string): { start: string; end: string } => ({ start: `${table}/`, end: behind(`${table}/`) })

export function makeIndexed<V>(name: string, table: Table<V>, indexes: Table<true>, index: RowIndex<V>): IndexedTable<V> {
  const keyOf = (key: string, row: V | undefined): string | undefined => row && indexKey(name, index, key, row)
  const move = (from: string | undefined, to: string | undefined): void => {
    if (from === to) return
    if (from !== undefined) indexes.remove(from)
    if (to !== undefined) indexes.put(to, true)
  }
  const put = (key: string, row: V, json: string): void => {
    const from = keyOf(key, table.get(key))
    table.putText(key, json)
    move(from, keyOf(key, row))
  }
  return {
    ...table,
    put: (key, row) => put(key, row, JSON.stringify(row)),
    putText: (key, json) => put(key, JSON.parse(json) as V, json),
    remove(key) {
      const from = keyOf(key, table.get(key))
      move(from, undefined)
      return table.remove(key)
    },
    *pending() {
      const prefix = pendingPrefix(name)
      for (const entry of indexes.range({ start: prefix, end: behind(prefix) })) {
        const key = entry.key.slice(prefix.length)
        const value = table.get(key)
        if (value !== undefined) yield { key, value }
      }
    },
    endedBefore(at, limit) {
      const prefix = endedPrefix(name)
      const ended = indexes.range({ start: prefix, end: `${prefix}${timeDigits(at)}`, limit })
      return Array.from(ended, ({ key }) => key.slice(prefix.length + timeDigits(0).length + 1))
    },
  }
}
