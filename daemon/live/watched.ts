/** What is looked at to find out what has changed: rows as they are committed, and lists that do not say so by themselves. */
import type { Store, Writes } from '../store/store.ts'
import type { Rows, TableName } from '../store/tables.ts'
import type { KeptList } from '../schema/shown-list.ts'
import type { LiveTopic } from '../schema/live.ts'
import type { Live } from './live.ts'
import type { State } from './thing.ts'

/** Called with each row of a table that is on the disk by now; null: it was removed. */
export type RowWatch = { readonly [T in TableName]?: (key: string, row: Rows[T] | null) => void }

interface WatchRowsOptions {
  readonly watch: RowWatch
  /** Whether anybody asks for what changes; where nobody does, rows are not read, and `skip` is called. */
  readonly isWanted: () => boolean
  readonly skip: () => void
  readonly failed: (error: unknown) => void
}

export function watchRows(store: Pick<Store, 'onCommit'>, { watch, isWanted, skip, failed }: WatchRowsOptions): void {
  const watches = Object.entries(watch) as [string, (key: string, row: unknown) => void][]
  store.onCommit((writes: Writes) => {
    if (!isWanted()) return skip()
    for (const [table, changed] of watches) {
      for (const [key, text] of writes.get(table) ?? []) {
        try {
          changed(key, text === null ? null : JSON.parse(text))
        } catch (error) {
          // The row is on the disk: nobody else may suffer from that.
          failed(error)
        }
      }
    }
  })
}

interface WatchedList<T extends object> {
  readonly topic: LiveTopic
  readonly kept: KeptList<T>
  readonly idOf: (item: T) => string
  readonly state: (item: T) => State
  /** What it is compared by; all of it by default. */
  readonly compared?: (item: T) => unknown
}

/**
 * A list. Unless it says itself what has changed, its items are compared once a second while somebody reads, and whenever the returned function
 * is called.
 */
export function watchList<T extends object>(
  live: Live,
  { topic, kept, idOf, state, compared = (item) => item }: WatchedList<T>,
): () => void {
  let before = new Map<string, string>()
  live.source(topic, (id) => {
    const item = kept.list().find((one) => idOf(one) === id)
    return item === undefined ? null : state(item)
  })
  if (kept.onChange !== undefined) {
    kept.onChange((id) => live.changed(topic, id))
    return () => undefined
  }
  const look = (): void => {
    const now = new Map(kept.list().map((item) => [idOf(item), JSON.stringify(compared(item))]))
    for (const [id, text] of now) if (before.get(id) !== text) live.changed(topic, id)
    for (const id of before.keys()) if (!now.has(id)) live.changed(topic, id)
    before = now
  }
  live.poll({ look, forget: () => (before = new Map()) })
  return look
}
