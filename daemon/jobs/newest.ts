/** Pages of a table for those who look at it, newest first: what a queue knows in memory, the rest as the disk has it. */
import type { Table } from '../store/store.ts'

/** Rows looked at for one page, so that a rare state never holds up the daemon. */
const mostSearched = 5000

export interface NewestQuery<V> {
  readonly limit: number
  /** Those before this key. */
  readonly cursor?: string | undefined
  readonly fits?: ((row: V) => boolean) | undefined
  /** The row as it is in memory, where it is. */
  readonly current?: (key: string) => V | undefined
}

export interface Page<V> {
  readonly rows: readonly V[]
  /** The cursor of the following page; null where there is none. */
  readonly next: string | null
}

export function newest<V>(table: Table<V>, { limit, cursor, fits = () => true, current = () => undefined }: NewestQuery<V>): Page<V> {
  const rows: V[] = []
  let seen = 0
  for (const { key, value } of table.range({ reverse: true, ...(cursor === undefined ? {} : { end: cursor }) })) {
    const row = current(key) ?? value
    if (fits(row)) rows.push(row)
    seen += 1
    if (rows.length === limit || seen === mostSearched) return { rows, next: key }
  }
  return { rows, next: null }
}
