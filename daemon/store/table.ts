/** A typed table over one LMDB database and the writes that are on their way to it. */
import type { Database } from 'lmdb'

export interface RangeOptions {
  /** First key, included. */
  start?: string
  /** Last key, excluded. */
  end?: string
  limit?: number
  /** From the last key to the first. */
  reverse?: boolean
}

export interface Table<V> {
  get(key: string): V | undefined
  /** Only inside a transaction. */
  put(key: string, value: V): void
  /** Only inside a transaction. Whether there was such a row. */
  remove(key: string): boolean
  /** In order of the keys. Read it to its end or not at all across an await. */
  range(options?: RangeOptions): Iterable<{ key: string; value: V }>
  /** Committed rows. */
  count(): number
}

/** Rows of one table by key: JSON text, or null for "removed". */
export type TableWrites = Map<string, string | null>
export type Writes = Map<string, TableWrites>

/** What the running transaction sees above the committed rows: its own writes first, then those not yet on the disk. */
export class PendingWrites {
  /** Newest first; undefined while no transaction runs. */
  layers: readonly Writes[] | undefined

  own(name: string): TableWrites {
    const own = this.layers?.[0]
    if (own === undefined) throw new Error(`The table ${name} can only be written inside a transaction.`)
    let writes = own.get(name)
    if (writes === undefined) own.set(name, (writes = new Map()))
    return writes
  }

  /** Text, null for "removed", undefined for "look on the disk". */
  find(name: string, key: string): string | null | undefined {
    for (const layer of this.layers ?? []) {
      const text = layer.get(name)?.get(key)
      if (text !== undefined) return text
    }
    return undefined
  }

  /** All pending rows of a table, as one map; undefined where there are none. */
  all(name: string): TableWrites | undefined {
    let merged: TableWrites | undefined
    for (const layer of (this.layers ?? []).toReversed()) {
      const writes = layer.get(name)
      if (writes !== undefined && writes.size > 0) merged = new Map([...(merged ?? []), ...writes])
    }
    return merged
  }
}

/** Printable ASCII sorts alike in LMDB and in JavaScript, on which `range` relies. */
const keyPattern = /^[\x20-\x7e]{1,500}$/

export function makeTable<V>(name: string, db: Database<string, string>, pending: PendingWrites): Table<V> {
  const parse = (text: string): V => JSON.parse(text) as V
  return {
    get(key) {
      const text = pending.find(name, key)
      if (text === null) return undefined
      const stored = text ?? db.get(key)
      return stored === undefined ? undefined : parse(stored)
    },
    put(key, value) {
      if (!keyPattern.test(key)) throw new Error(`"${key}" cannot be a key of the table ${name}.`)
      pending.own(name).set(key, JSON.stringify(value))
    },
    remove(key) {
      const own = pending.own(name)
      const text = pending.find(name, key)
      if (text === null || (text === undefined && !db.doesExist(key))) return false
      own.set(key, null)
      return true
    },
    *range(options = {}) {
      let left = options.limit ?? Infinity
      const above = pendingRange(pending.all(name), options)
      const disk = db.getRange(boundsOf(options))
      for (const { key, value } of above.length === 0 ? disk : merge(disk, above, options.reverse ?? false)) {
        if (left-- <= 0) return
        yield { key, value: parse(value) }
      }
    },
    count: () => (db.getStats() as { entryCount: number }).entryCount,
  }
}

interface Entry {
  readonly key: string
  readonly value: string
}

function boundsOf({ start, end, reverse }: RangeOptions) {
  if (reverse) {
    return {
      reverse: true,
      ...(end === undefined ? {} : { start: end, exclusiveStart: true }),
      ...(start === undefined ? {} : { end: start, inclusiveEnd: true }),
    }
  }
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
}

function pendingRange(writes: TableWrites | undefined, { start, end, reverse }: RangeOptions): [string, string | null][] {
  if (writes === undefined) return []
  const rows = [...writes].filter(([key]) => (start === undefined || key >= start) && (end === undefined || key < end))
  rows.sort(([a], [b]) => (a < b ? -1 : 1))
  return reverse ? rows.reverse() : rows
}

/** Both in the same order; of two rows with one key the pending one wins, and removed rows vanish. */
function* merge(disk: Iterable<Entry>, above: readonly [string, string | null][], reverse: boolean): Iterable<Entry> {
  const before = (a: string, b: string): boolean => (reverse ? a > b : a < b)
  let at = 0
  for (const row of disk) {
    for (; at < above.length && before(above[at]![0], row.key); at++) yield* entry(above[at]!)
    if (at < above.length && above[at]![0] === row.key) yield* entry(above[at++]!)
    else yield row
  }
  for (; at < above.length; at++) yield* entry(above[at]!)
}

function* entry([key, value]: [string, string | null]): Iterable<Entry> {
  if (value !== null) yield { key, value }
}
