/** Rows that lie in memory and end with the process: for a box whose store cannot be opened, so that it can call for help all the same. */
import type { RowFiles } from './files.ts'
import type { StoredRange, StoredRows, TableWrites } from './table.ts'

class MemoryRows implements StoredRows {
  readonly #rows = new Map<string, string>()
  /** In order; null where they have to be sorted again. */
  #keys: string[] | null = []

  get(key: string): string | undefined {
    return this.#rows.get(key)
  }

  doesExist(key: string): boolean {
    return this.#rows.has(key)
  }

  getStats(): { entryCount: number } {
    return { entryCount: this.#rows.size }
  }

  *getRange({
    start,
    end,
    reverse = false,
    exclusiveStart = false,
    inclusiveEnd = false,
  }: StoredRange): Iterable<{ key: string; value: string }> {
    this.#keys ??= [...this.#rows.keys()].sort()
    const beyond = (key: string, bound: string, strictly: boolean): boolean =>
      strictly ? (reverse ? key < bound : key > bound) : reverse ? key <= bound : key >= bound
    for (const key of reverse ? this.#keys.toReversed() : [...this.#keys]) {
      if (start !== undefined && !beyond(key, start, exclusiveStart)) continue
      if (end !== undefined && beyond(key, end, inclusiveEnd)) return
      const value = this.#rows.get(key)
      if (value !== undefined) yield { key, value }
    }
  }

  write(changes: TableWrites): void {
    for (const [key, text] of changes) {
      if (this.#rows.has(key) !== (text !== null)) this.#keys = null
      if (text === null) this.#rows.delete(key)
      else this.#rows.set(key, text)
    }
  }
}

export function memoryFiles(names: readonly string[]): RowFiles {
  const rows = new Map(names.map((name) => [name, new MemoryRows()]))
  return {
    rows,
    commit: async (writes) => writes.forEach((changes, name) => rows.get(name)!.write(changes)),
    bytes: () => 0,
    backup: () => Promise.reject(new Error('There is nothing to copy: the store could not be opened, and nothing is kept.')),
    close: () => Promise.resolve(),
  }
}
