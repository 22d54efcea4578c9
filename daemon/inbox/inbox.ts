/** What was received: faxes, text messages and voicemail, each a feed, and the media of their items until these are purged. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { idPattern } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { InboxFaxRow, InboxItem, InboxMediaRow, InboxSmsRow, InboxVoicemailRow, FaxMissedRow } from '../store/tables.ts'
import { Collected } from './collect/collected.ts'
import type { Source } from './collect/source.ts'
import { Through } from './collect/through.ts'
import { type BoxName, mustBePolledHere, unknownItem } from './elsewhere.ts'
import { Feed } from './feed.ts'
import { TextMedia, digestOf, placeMedia } from './text-media.ts'

/** Fax calls that brought no page: the caller hung up before the first, or the two machines did not come to terms. */
class MissedFaxes {
  readonly #store: Store
  readonly #alongside = new Set<(row: FaxMissedRow) => void>()

  constructor(store: Store) {
    this.#store = store
  }

  /** `work` runs in the transaction that keeps one. */
  onAdd(work: (row: FaxMissedRow) => void): void {
    this.#alongside.add(work)
  }

  /** Inside a transaction. */
  add(row: FaxMissedRow): void {
    this.#store.tables.faxMissed.put(row.id, row)
    for (const work of this.#alongside) work(row)
  }

  count(): number {
    return this.#store.tables.faxMissed.count()
  }

  /** The newest, oldest of them first. */
  newest(limit: number): FaxMissedRow[] {
    const rows: FaxMissedRow[] = []
    for (const { value } of this.#store.tables.faxMissed.range({ reverse: true, limit })) rows.unshift(value)
    return rows
  }

  async purge(before: number): Promise<void> {
    const { faxMissed } = this.#store.tables
    const old: string[] = []
    // Ids grow with time.
    for (const { key, value } of faxMissed.range()) {
      if (value.at >= before) break
      old.push(key)
    }
    if (old.length === 0) return
    await this.#store.transaction(() => {
      for (const key of old) faxMissed.remove(key)
    })
  }
}

export interface InboxOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The storage directory: files of media are named below it. */
  readonly dir: string
  readonly keepDays: number
  /** Of mailboxes that keep their messages for another time, by number. */
  readonly keepDaysOf?: ReadonlyMap<string, number>
  /** Numbers of the mailboxes that exist. */
  readonly mailboxes: readonly string[]
  /** Which of several boxes this is. */
  readonly box?: BoxName
  /** Other boxes whose items this one gives out as well. */
  readonly sources?: readonly Source[]
}

export type FeedName = InboxMediaRow['feed']

/** A message came into a mailbox, or is not there any more. */
export interface VoicemailChange {
  readonly id: string
  readonly ext: string
  readonly gone: boolean
}

type ItemOf<N extends FeedName> = { faxes: InboxFaxRow; sms: InboxSmsRow; voicemails: InboxVoicemailRow }[N]

const dayMs = 86_400_000
/** How long a purged item is still distinguished from one that never was. */
const tombstoneDays = 365
const batch = 500

export class Inbox {
  readonly faxes: Feed<InboxFaxRow>
  readonly sms: Feed<InboxSmsRow>
  readonly voicemails: Feed<InboxVoicemailRow>
  readonly missed: MissedFaxes
  readonly textMedia: TextMedia
  /** Of other boxes. */
  readonly collected: Collected
  readonly through: Through
  readonly #options: InboxOptions
  readonly #observers = new Set<(change: VoicemailChange) => void>()
  readonly #alongside = new Set<(feed: FeedName, item: InboxItem, seq: number) => void>()
  readonly #leaving = new Set<(feed: FeedName, id: string) => void>()

  constructor(options: InboxOptions) {
    this.#options = options
    const { store, clock } = options
    const { inboxFaxes, inboxSms, inboxVoicemails, meta } = store.tables
    this.missed = new MissedFaxes(store)
    this.textMedia = new TextMedia(store, options.dir)
    const transaction: Store['transaction'] = (work) => store.transaction(work)
    const came = (feed: FeedName) => (item: InboxItem, seq: number) => this.#alongside.forEach((work) => work(feed, item, seq))
    this.faxes = new Feed<InboxFaxRow>('faxes', { items: inboxFaxes, meta, transaction, inserted: came('faxes') }, clock)
    this.sms = new Feed<InboxSmsRow>('sms', { items: inboxSms, meta, transaction, inserted: came('sms') }, clock)
    this.voicemails = new Feed<InboxVoicemailRow>(
      'voicemails',
      { items: inboxVoicemails, meta, transaction, inserted: came('voicemails') },
      clock,
    )
    this.collected = this.#collects()
    this.through = new Through(this.collected, options.sources ?? [], join(options.dir, 'cache', 'collected'))
  }

  #collects(): Collected {
    const { store, clock, keepDays } = this.#options
    return new Collected({ store, clock, keepDays, tombstoneDays, next: (feed) => this[feed].next() })
  }

  /** `work` runs in the transaction in which an item arrives. */
  onArrival(work: (feed: FeedName, item: InboxItem, seq: number) => void): void {
    this.#alongside.add(work)
  }

  /** `work` runs in the transaction in which an item is deleted, or is past its time. */
  onLeave(work: (feed: FeedName, id: string) => void): void {
    this.#leaving.add(work)
  }

  /** The observer is called when a change of a mailbox is durable. */
  onVoicemail(tell: (change: VoicemailChange) => void): void {
    this.#observers.add(tell)
  }

  #tell({ id, ext }: Pick<InboxVoicemailRow, 'id' | 'ext'>, gone: boolean): void {
    for (const observe of this.#observers) observe({ id, ext, gone })
  }

  get box(): BoxName {
    return this.#options.box ?? {}
  }

  /** Throws ApiError `inbox_elsewhere` where a poll that names `box`, or none, is meant for another box. */
  mustBePolled(box: string | undefined): void {
    mustBePolledHere(this.box, box)
  }

  /** Of an item that this box does not have, or not in the feed that is asked. */
  unknown(id: string): ApiError {
    return this.collected.known(id) === undefined ? unknownItem(id, this.box) : new ApiError('not_found', 'There is no item with that id.')
  }

  /** Whether items of other boxes come in here as well. */
  get collects(): boolean {
    return (this.#options.sources ?? []).length > 0
  }

  hasMailbox(ext: string): boolean {
    return this.#options.mailboxes.includes(ext)
  }

  /**
   * A fax, once: the item and what names its file in one transaction, in which `alongside` runs. `file`, below the storage directory,
   * is complete and on the disk.
   */
  async publishFax(fax: Omit<InboxFaxRow, 'sha256' | 'bytes'>, file: string, alongside: () => void): Promise<InboxFaxRow> {
    const item = { ...fax, ...(await digestOf(join(this.#options.dir, file))) }
    await this.#publish(this.faxes, 'faxes', item, file, alongside)
    return item
  }

  /**
   * A message of a mailbox, once, when its transcript is settled: items do not change. `recording` is a complete WAV file on the file
   * system of the storage directory, and is moved. To be called again after a crash, with the same id and recording.
   */
  async publishVoicemail(
    message: Omit<InboxVoicemailRow, 'sha256' | 'bytes'>,
    recording: string,
    alongside: () => void = () => undefined,
  ): Promise<InboxVoicemailRow> {
    const file = join('inbox', 'voicemails', `${message.id}.wav`)
    const path = join(this.#options.dir, file)
    await placeMedia(recording, path)
    const item = { ...message, ...(await digestOf(path)) }
    await this.#publish(this.voicemails, 'voicemails', item, file, alongside)
    this.#tell(item, false)
    return item
  }

  #publish<T extends InboxItem>(feed: Feed<T>, name: FeedName, item: T, file: string, alongside: () => void): Promise<void> {
    const { store } = this.#options
    const { inboxMedia } = store.tables
    return store.transaction(() => {
      alongside()
      const { id, sha256, receivedAt } = item
      if (inboxMedia.get(id) !== undefined) return
      inboxMedia.put(id, { feed: name, file, sha256, receivedAt, purgedAt: null })
      feed.insert(item)
    })
  }

  /** Of a message that is still there; undefined where there is none of that id. */
  mailboxOf(id: string): string | undefined {
    for (const { value } of this.#options.store.tables.inboxVoicemails.range({ reverse: true })) if (value.id === id) return value.ext
    const ext = this.collected.item(id)?.['ext']
    return typeof ext === 'string' ? ext : undefined
  }

  /** The media of an item, `purged` once it is no longer kept, undefined where there never was any. */
  media(feed: FeedName, id: string): { file: string; sha256: string } | 'purged' | undefined {
    if (!idPattern.test(id)) return undefined
    const row = this.#options.store.tables.inboxMedia.get(id)
    if (row === undefined || row.feed !== feed) return undefined
    return row.purgedAt === null ? { file: join(this.#options.dir, row.file), sha256: row.sha256 } : 'purged'
  }

  /**
   * Removes an item at once, and its file: its id is answered as purged from then on. `alongside` runs in the transaction. The id of
   * its call, where it has one. Throws ApiError: not_found, media_expired.
   */
  async remove(name: FeedName | null, id: string, alongside: (item: { callId?: string }) => void): Promise<string | undefined> {
    const { store, dir } = this.#options
    const { inboxMedia } = store.tables
    const feeds = { faxes: this.faxes, sms: this.sms, voicemails: this.voicemails } as Record<
      FeedName,
      Feed<InboxItem & { callId?: string }>
    >
    const unknown = this.unknown(id)
    if (!idPattern.test(id)) throw unknown
    for (const feed of name === null ? (Object.keys(feeds) as FeedName[]) : [name]) {
      const found = feeds[feed].find((item) => item.id === id)
      if (found === undefined) continue
      const files = await store.transaction(() => {
        if (!feeds[feed].remove(found.seq)) throw unknown
        for (const work of this.#leaving) work(feed, id)
        const media = inboxMedia.get(id)
        const { receivedAt } = found.item
        const now = this.#options.clock.now()
        // The hash is removed as well: it would identify the content.
        inboxMedia.put(id, { feed, file: media?.file ?? '', sha256: '', receivedAt, purgedAt: now })
        const others = feed === 'sms' ? this.textMedia.purge(found.item as InboxItem & InboxSmsRow, now) : []
        alongside(found.item)
        return media === undefined || media.file === '' ? others : [media.file, ...others]
      })
      if (feed === 'voicemails') this.#tell(found.item as InboxItem & InboxVoicemailRow, true)
      for (const file of files) await rm(join(dir, file), { force: true })
      return found.item.callId
    }
    const media = inboxMedia.get(id)
    if (media !== undefined && (name === null || media.feed === name)) throw new ApiError('media_expired', 'This item has been deleted.')
    throw unknown
  }

  /** Removes items that are past their time, and their files; cursors stay valid. The number of items. */
  async sweep(): Promise<number> {
    const { clock, keepDays, keepDaysOf = new Map<string, number>() } = this.#options
    const oldest = (days = keepDays): number => clock.now() - days * dayMs
    const removed = [
      await this.#sweepFeed('faxes', (item, since) => (since ?? item.receivedAt) < oldest()),
      await this.#sweepFeed('sms', (item, since) => (since ?? item.receivedAt) < oldest()),
      await this.#sweepFeed(
        'voicemails',
        (item, since) => (since ?? item.receivedAt) < oldest(keepDaysOf.get(item.ext)),
        (item) => this.#tell(item, true),
        // Boxes have days of their own, and a message that was forwarded is older than its place says.
        false,
      ),
    ]
    await this.missed.purge(oldest())
    await this.#removeFiles()
    removed.push(await this.collected.sweep())
    return removed.reduce((sum, count) => sum + count, 0)
  }

  async #sweepFeed<N extends FeedName>(
    name: N,
    isOld: (item: ItemOf<N>, since: number | null) => boolean,
    tell: (item: ItemOf<N>) => void = () => undefined,
    inOrder = true,
  ): Promise<number> {
    const feed = this[name] as unknown as Feed<ItemOf<N>>
    const left = (item: ItemOf<N>): void => {
      this.#purgeMedia(item)
      for (const work of this.#leaving) work(name, item.id)
    }
    for (let removed = 0; ;) {
      const gone = await feed.purge(isOld, left, { most: batch, inOrder })
      removed += gone.length
      gone.forEach(tell)
      if (gone.length < batch) return removed
    }
  }

  #purgeMedia(item: InboxItem & Pick<InboxSmsRow, 'media'>): void {
    const { id } = item
    const { inboxMedia } = this.#options.store.tables
    if (item.media !== undefined) this.textMedia.purge(item as InboxSmsRow, this.#options.clock.now())
    const row = inboxMedia.get(id)
    if (row !== undefined) inboxMedia.put(id, { ...row, purgedAt: this.#options.clock.now() })
  }

  /** Files whose item is gone; after a crash between the two as well. */
  async #removeFiles(): Promise<void> {
    const { store, clock, dir } = this.#options
    const { inboxMedia } = store.tables
    const forgotten: string[] = []
    const purged = [...inboxMedia.range()].flatMap(({ key, value }) =>
      value.purgedAt === null ? [] : [{ key, value, purgedAt: value.purgedAt }],
    )
    for (const { key, value, purgedAt } of purged) {
      if (value.file !== '') {
        await rm(join(dir, value.file), { force: true })
        await store.transaction(() => inboxMedia.put(key, { ...value, file: '' }))
      } else if (clock.now() - purgedAt > tombstoneDays * dayMs) forgotten.push(key)
    }
    if (forgotten.length === 0) return
    await store.transaction(() => {
      for (const key of forgotten) inboxMedia.remove(key)
    })
  }
}
