/**
 * One feed of the inbox and its cursor. Every item has a sequence number, `max(last + 1, milliseconds since the epoch)`,
 * taken in the transaction that inserts it: there is one writer, so items become visible in the order of their numbers,
 * and none comes late below a cursor that was handed out. Tied to the clock, the numbers stay above every cursor handed
 * out before a backup was restored.
 */
import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Store, Table } from '../store/store.ts'
import type { MetaRow } from '../store/tables.ts'

export interface FeedStore<T> {
  readonly items: Table<T>
  /** Holds the last number given out. */
  readonly meta: Table<MetaRow>
  readonly transaction: Store['transaction']
  /** Runs in the transaction of an item. */
  inserted?(item: T, seq: number): void
}

export interface FeedPage<T> {
  readonly items: readonly { readonly seq: number; readonly item: T }[]
  readonly nextSince: number
}

/** Items read between two turns of the event loop. */
const atOnce = 500
/** A cursor further ahead than this was not handed out by this box, whatever its clock did. */
const mostAheadMs = 24 * 3_600_000
/**
 * No box had this program before: the clock that says so stands in 1970, or where the system was built. What comes then is as old as
 * its first look by a clock that can be right.
 */
export const firstDay = Date.UTC(2025, 0, 1)

export class Feed<T> {
  readonly #name: string
  readonly #store: FeedStore<T>
  readonly #clock: Clock

  constructor(name: string, store: FeedStore<T>, clock: Clock) {
    this.#name = name
    this.#store = store
    this.#clock = clock
  }

  /** Inside a transaction: the number of what comes next, of this feed alone. */
  next(): number {
    const seq = Math.max(this.#head() + 1, Math.floor(this.#clock.now()))
    this.#store.meta.put(this.#key, seq)
    return seq
  }

  /** Inside a transaction; the item must be complete, and does not change afterwards. Its sequence number. */
  insert(item: T): number {
    const seq = this.next()
    if (this.#clock.now() < firstDay) this.#store.meta.put(this.#undatedKey(feedKey(seq)), 0)
    this.#store.items.put(feedKey(seq), item)
    this.#store.inserted?.(item, seq)
    return seq
  }

  /**
   * Items after `since`, oldest first, that `fits` takes. Throws ApiError `cursor_from_the_future`. A cursor ahead of the
   * feed was handed out before a backup was restored: the feed goes on above it.
   */
  async page(since: number, limit: number, fits: (item: T) => boolean = () => true): Promise<FeedPage<T>> {
    // Before the items: what becomes visible in between is above this head.
    const head = this.#head()
    if (since > head) await this.#raise(since, head)
    const items: { seq: number; item: T }[] = []
    for (let start = since + 1, full = true; full && items.length < limit;) {
      if (start > since + 1) await breath()
      const rows = this.#store.items.rows({ start: feedKey(start), limit: atOnce })
      full = rows.length === atOnce
      for (const { key, value } of rows) {
        start = Number(key) + 1
        if (!fits(value)) continue
        items.push({ seq: Number(key), item: value })
        if (items.length === limit) break
      }
    }
    const last = items.at(-1)?.seq ?? since
    return { items, nextSince: items.length === limit ? last : Math.max(since, last, head) }
  }

  /** How many there are, and the number above which nothing is. */
  summary(): { items: number; head: number } {
    return { items: this.#store.items.count(), head: this.#head() }
  }

  /** Oldest first; `nextBefore`: where older ones are found, null where there are none. `before`: a number that was given out so. */
  newest(
    limit: number,
    { before, fits = () => true }: { readonly before?: number | undefined; readonly fits?: (item: T) => boolean } = {},
  ): { items: T[]; nextBefore: number | null } {
    const items: T[] = []
    for (const { key, value } of this.#store.items.range({ reverse: true, ...(before === undefined ? {} : { end: feedKey(before) }) })) {
      if (fits(value)) items.unshift(value)
      if (items.length === limit) return { items, nextBefore: Number(key) }
    }
    return { items, nextBefore: null }
  }

  /**
   * Removes what `isOld` names, oldest first, at most `most`; `alongside` runs in the same transaction. `since`: of an item that came
   * under a clock that was not set, the moment its age counts from; null for all others. `inOrder`: nothing is old that comes after
   * something that is not.
   */
  async purge(
    isOld: (item: T, since: number | null) => boolean,
    alongside: (item: T, seq: number) => void,
    { most = 500, inOrder = true } = {},
  ): Promise<readonly T[]> {
    const undated = this.#newlyUndated()
    if (undated.length > 0) await this.#date(undated)
    const old: { key: string; value: T }[] = []
    for (const row of this.#store.items.range(inOrder ? { limit: most } : {})) {
      const since = this.#store.meta.get(this.#undatedKey(row.key))
      if (isOld(row.value, since === undefined ? null : Number(since) || Infinity)) old.push(row)
      else if (inOrder) break
      if (old.length === most) break
    }
    if (old.length === 0) return []
    await this.#store.transaction(() => {
      for (const { key, value } of old) {
        this.#store.items.remove(key)
        this.#store.meta.remove(this.#undatedKey(key))
        alongside(value, Number(key))
      }
    })
    return old.map(({ value }) => value)
  }

  /** Takes one item out of the feed; cursors stay valid, and nothing else moves. Inside a transaction; false where it is not there. */
  remove(seq: number): boolean {
    this.#store.meta.remove(this.#undatedKey(feedKey(seq)))
    return this.#store.items.remove(feedKey(seq))
  }

  get(seq: number): T | undefined {
    return this.#store.items.get(feedKey(seq))
  }

  /** The newest item that `fits`, looked for from the newest on. */
  find(fits: (item: T) => boolean): { readonly seq: number; readonly item: T } | undefined {
    for (const { key, value } of this.#store.items.range({ reverse: true })) if (fits(value)) return { seq: Number(key), item: value }
    return undefined
  }

  get #key(): string {
    return `inbox:${this.#name}`
  }

  #undatedKey(key: string): string {
    return `${this.#key}:undated:${key}`
  }

  /** Marks of items that no clock that can be right has looked at. */
  #newlyUndated(): string[] {
    if (this.#clock.now() < firstDay) return []
    const marks = this.#store.meta.range({ start: this.#undatedKey(''), end: this.#undatedKey('~') })
    return [...marks].flatMap(({ key, value }) => (value === 0 ? [key] : []))
  }

  async #date(keys: readonly string[]): Promise<void> {
    const { meta, transaction } = this.#store
    const now = this.#clock.now()
    await transaction(() => keys.forEach((key) => meta.put(key, now)))
  }

  #head(): number {
    return Number(this.#store.meta.get(this.#key) ?? 0)
  }

  async #raise(since: number, head: number): Promise<void> {
    if (since > Math.max(head, this.#clock.now()) + mostAheadMs) {
      throw new ApiError('cursor_from_the_future', 'This cursor lies in the future: start again with since=0.', {
        details: [{ path: '/since', message: `must not be above ${Math.max(head, Math.floor(this.#clock.now()))}` }],
      })
    }
    await this.#store.transaction(() => {
      if (since > this.#head()) this.#store.meta.put(this.#key, since)
    })
  }
}

/** Keys sort as their numbers do. */
export function feedKey(seq: number): string {
  return String(seq).padStart(16, '0')
}
