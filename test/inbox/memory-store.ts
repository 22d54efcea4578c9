/** The disk below a feed, in memory: what is committed survives a crash, what is on its way does not. */
import type { FeedStore } from '../../daemon/inbox/feed.ts'
import type { RangeOptions, Table } from '../../daemon/store/store.ts'
import type { MetaRow } from '../../daemon/store/tables.ts'

type Rows = Map<string, unknown>

export interface Disk {
  items: Rows
  meta: Rows
}

export const emptyDisk = (): Disk => ({ items: new Map(), meta: new Map() })
export const copyOf = (disk: Disk): Disk => ({ items: new Map(disk.items), meta: new Map(disk.meta) })

interface Pending {
  writes: { rows: keyof Disk; key: string; value: unknown }[]
  done: () => void
}

export class MemoryStore<T> implements FeedStore<T> {
  readonly disk: Disk
  readonly items: Table<T>
  readonly meta: Table<MetaRow>
  readonly #pending: Pending[] = []
  #own: Pending['writes'] | null = null

  constructor(disk: Disk) {
    this.disk = disk
    this.items = this.#table<T>('items')
    this.meta = this.#table<MetaRow>('meta')
  }

  readonly transaction = <R>(work: () => R): Promise<R> => {
    const writes = (this.#own = [])
    let result: R
    try {
      result = work()
    } finally {
      this.#own = null
    }
    return new Promise((resolve) => this.#pending.push({ writes, done: () => resolve(result) }))
  }

  /** The oldest `count` transactions reach the disk. */
  commit(count = Infinity): void {
    for (const { writes, done } of this.#pending.splice(0, count)) {
      for (const { rows, key, value } of writes) {
        if (value === undefined) this.disk[rows].delete(key)
        else this.disk[rows].set(key, value)
      }
      done()
    }
  }

  #table<V>(name: keyof Disk): Table<V> {
    const find = (key: string): V | undefined => {
      if (this.#own !== null) {
        for (const writes of [this.#own, ...this.#pending.map((one) => one.writes).toReversed()]) {
          const found = writes.findLast((write) => write.rows === name && write.key === key)
          if (found !== undefined) return found.value as V | undefined
        }
      }
      return this.disk[name].get(key) as V | undefined
    }
    const rows = ({ start = '', end, limit = Infinity }: RangeOptions = {}): { key: string; value: V }[] =>
      [...this.disk[name]]
        .filter(([key]) => key >= start && (end === undefined || key < end))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([key, value]) => ({ key, value: value as V }))
    return {
      get: find,
      put: (key, value) => void this.#own!.push({ rows: name, key, value }),
      putText: (key, json) => void this.#own!.push({ rows: name, key, value: JSON.parse(json) }),
      remove: (key) => this.#own!.push({ rows: name, key, value: undefined }) > 0,
      range: rows,
      rows,
      count: () => this.disk[name].size,
    }
  }
}
