/**
 * What other boxes received, next to what this one did: each item once, under the numbers of this box's own feeds, so that one cursor
 * counts for all. Lamps, menus and figures of this box are about its own items and do not see these.
 */
import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { keysOf } from '../../erasure/erasure.ts'
import { inboxFeeds } from '../../schema/inbox.ts'
import type { Store } from '../../store/store.ts'
import type { CollectedIdRow, CollectedRow, InboxMediaRow } from '../../store/tables.ts'
import { feedKey, firstDay } from '../feed.ts'
import { receivedAt } from './source.ts'

type FeedName = InboxMediaRow['feed']

export interface CollectedOptions {
  readonly store: Store
  readonly clock: Clock
  readonly keepDays: number
  /** How long it is known that an item was here, once it is gone. */
  readonly tombstoneDays: number
  /** Inside a transaction: the next number of the feed. */
  readonly next: (feed: FeedName) => number
}

/** What a poller gets. */
export interface ViewPage {
  readonly items: readonly { readonly seq: number; readonly view: { readonly id: string } }[]
  readonly nextSince: number
}

export interface PageQuery {
  readonly since: number
  readonly limit: number
  readonly fits?: (item: CollectedRow['item']) => boolean
}

const dayMs = 86_400_000
const atOnce = 500

export class Collected {
  readonly #options: CollectedOptions

  constructor(options: CollectedOptions) {
    this.#options = options
  }

  /** Where the next poll of that box goes on. */
  cursor(box: string, feed: FeedName): number {
    return Number(this.#options.store.tables.meta.get(cursorKey(box, feed)) ?? 0)
  }

  /**
   * A page of a box: what is not known yet, and where to go on there, in one transaction. An item that was deleted here is known.
   * How many were new.
   */
  async add(box: string, feed: FeedName, items: readonly CollectedRow['item'][], nextSince: number): Promise<number> {
    const { store, clock, next } = this.#options
    const { collected, collectedIds, meta } = store.tables
    if (this.cursor(box, feed) === nextSince && items.every(({ id }) => collectedIds.get(id) !== undefined)) return 0
    return store.transaction(() => {
      let added = 0
      for (const item of items) {
        if (collectedIds.get(item.id) !== undefined) continue
        const seq = next(feed)
        collected.put(rowKey(feed, seq), { box, collectedAt: Math.floor(clock.now()), item })
        for (const id of idsIn(item)) collectedIds.put(id, { box, feed, seq, goneAt: null })
        added += 1
      }
      meta.put(cursorKey(box, feed), nextSince)
      return added
    })
  }

  /** `own`: the same page of this box's own items, which was read before. */
  async page(feed: FeedName, own: ViewPage, { since, limit, fits = () => true }: PageQuery): Promise<ViewPage> {
    const { collected } = this.#options.store.tables
    const items = [...own.items]
    const end = rowKey(feed, own.nextSince + 1)
    let found = 0
    for (let start = rowKey(feed, since + 1), full = true; full && found < limit;) {
      const rows = [...collected.range({ start, end, limit: atOnce })]
      full = rows.length === atOnce
      for (const { key, value } of rows) {
        start = `${key} `
        if (!fits(value.item)) continue
        items.push({ seq: seqOf(key), view: { ...value.item, ...receivedAt(value.box) } })
        if (++found === limit) break
      }
      if (full) await breath()
    }
    if (found === 0) return own
    const first = items.toSorted((a, b) => a.seq - b.seq).slice(0, limit)
    return { items: first, nextSince: first.length === limit ? first.at(-1)!.seq : own.nextSince }
  }

  /** Of an item, or of a file that came with a text; undefined where it never was here. */
  known(id: string): CollectedIdRow | undefined {
    return this.#options.store.tables.collectedIds.get(id)
  }

  item(id: string): CollectedRow['item'] | undefined {
    const known = this.known(id)
    return known === undefined ? undefined : this.#options.store.tables.collected.get(rowKey(known.feed, known.seq))?.item
  }

  /** `record` runs in the transaction. */
  async remove(id: string, record: (id: string) => void): Promise<void> {
    const known = this.known(id)
    if (known === undefined) return
    await this.#options.store.transaction(() => {
      this.#forget(rowKey(known.feed, known.seq))
      record(id)
    })
  }

  /** Removes what was collected too long ago. The number of items. */
  async sweep(): Promise<number> {
    const { store, clock, tombstoneDays } = this.#options
    const { collectedIds } = store.tables
    const now = clock.now()
    if (now < firstDay) return 0
    let removed = 0
    for (const feed of inboxFeeds) removed += await this.#sweepFeed(feed, now)
    const forgotten = await keysOf(collectedIds, ({ goneAt }) => goneAt !== null && now - goneAt > tombstoneDays * dayMs)
    for (let at = 0; at < forgotten.length; at += atOnce) {
      await store.transaction(() => forgotten.slice(at, at + atOnce).forEach((key) => collectedIds.remove(key)))
    }
    return removed
  }

  async #sweepFeed(feed: FeedName, now: number): Promise<number> {
    const { store, keepDays } = this.#options
    const { collected } = store.tables
    for (let removed = 0; ;) {
      const rows = [...collected.range({ start: `${feed}/`, end: `${feed}0`, limit: atOnce })]
      const old = rows.filter(({ value: { collectedAt } }) => collectedAt >= firstDay && collectedAt < now - keepDays * dayMs)
      // They came under a clock that was not set: their time begins now.
      const undated = rows.filter(({ value }) => value.collectedAt < firstDay)
      if (old.length + undated.length === 0) return removed
      await store.transaction(() => {
        for (const { key } of old) this.#forget(key)
        for (const { key, value } of undated) collected.put(key, { ...value, collectedAt: now })
      })
      removed += old.length
    }
  }

  #forget(key: string): void {
    const { collected, collectedIds } = this.#options.store.tables
    const row = collected.get(key)
    if (row === undefined) return
    collected.remove(key)
    for (const id of idsIn(row.item)) {
      const known = collectedIds.get(id)
      if (known !== undefined) collectedIds.put(id, { ...known, goneAt: Math.floor(this.#options.clock.now()) })
    }
  }
}

const cursorKey = (box: string, feed: FeedName): string => `collect:${box}:${feed}`
const rowKey = (feed: FeedName, seq: number): string => `${feed}/${feedKey(seq)}`
const seqOf = (key: string): number => Number(key.slice(key.indexOf('/') + 1))

/** The id of an item, and those of the files that came with it. */
function idsIn({ id, media }: CollectedRow['item']): string[] {
  const files = Array.isArray(media) ? (media as readonly { readonly id?: unknown }[]) : []
  return [id, ...files.flatMap((file) => (typeof file?.id === 'string' ? [file.id] : []))]
}
