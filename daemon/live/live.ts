/**
 * What changes in the house, for everybody who watches: one list of what has changed, and the state of each thing made when the first
 * reader gets it, once for each kind of reader. A reader that was away for a moment goes on where it was; for one that was away for too
 * long, reads too slowly, or comes with an id of an earlier run of the daemon, there is a gap: it loads its lists again.
 */
import { randomBytes } from 'node:crypto'
import type { Clock, Timer } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { LiveTopic } from '../schema/live.ts'
import { Reader, type ReaderOptions } from './reader.ts'
import { textOf, type Audience, type Piece, type Source, type Sources, type Thing } from './thing.ts'

export interface LiveOptions {
  readonly clock: Clock
}

/** A place in the list, the n-th of this run. */
interface Entry extends Thing {
  readonly n: number
  readonly at: number
  /** Made when it is first read: null where nobody of that audience may see it. */
  readonly texts: Map<Audience, Piece | null>
}

/** A list that is polled. */
interface Polled {
  /** Says what has changed since the last look. */
  readonly look: () => void
  /** All of it is new to the next look. */
  readonly forget: () => void
}

const keptMs = 5 * 60_000
const mostKept = 5000
const soonMs = 1000
const tickMs = 1000
const mostReaders = 100
/** Of one session or token, so that a program leaves places to people. */
const mostOfOne = 50
/** Text that is written to a reader at once. */
const mostAtOnce = 64 * 1024

export class Live {
  readonly #clock: Clock
  /** Names the run of the daemon: no id outlives it. */
  readonly #run = randomBytes(6).toString('hex')
  readonly #sources: Sources = new Map()
  /** The oldest first; the first one is number `#forgotten + 1`. */
  #kept: Entry[] = []
  #last = 0
  #forgotten = 0
  /** Number of the newest entry of each thing that is kept: an older one need not be sent. */
  readonly #newest = new Map<string, number>()
  readonly #soon = new Map<string, Thing>()
  readonly #polls = new Set<Polled>()
  readonly #readers = new Set<Reader>()
  readonly #ofOwner = new Map<string, number>()
  #soonTimer: Timer | null = null
  #tick: Timer | null = null
  #woken = false
  #closed = false
  /** When an id was last given, or a reader last there: until then and five minutes longer somebody may go on from there. */
  #wantedAt = -Infinity

  constructor({ clock }: LiveOptions) {
    this.#clock = clock
  }

  /** How things of a topic look now. */
  source(topic: LiveTopic, state: Source): void {
    this.#sources.set(topic, state)
  }

  /** As it was given. */
  sourceOf(topic: LiveTopic): Source {
    return this.#sources.get(topic)!
  }

  /** For what does not say by itself that it has changed: looked at once a second while somebody reads. */
  poll(list: Polled): void {
    this.#polls.add(list)
  }

  /**
   * Somebody was shown how things are now. What is polled is looked at: what goes back to where it was within the second would be no change
   * otherwise, and stay on that page.
   */
  shown(): void {
    if (this.#readers.size > 0) for (const { look } of this.#polls) look()
  }

  get readers(): number {
    return this.#readers.size
  }

  /** Up to here has happened what a list shows that is read now. */
  get id(): string {
    this.#wantedAt = this.#clock.elapsed()
    return `${this.#run}-${this.#last}`
  }

  /** Whether somebody reads, or may go on from an id; where nobody does, nothing need be looked at. */
  get isWanted(): boolean {
    return this.#readers.size > 0 || this.#clock.elapsed() - this.#wantedAt < keptMs
  }

  /** Things have changed that nobody will ask for: an earlier id has a gap. */
  skip(): void {
    this.#kept = []
    this.#newest.clear()
    this.#forgotten = ++this.#last
  }

  /** A thing has changed, and its new state can be read. */
  changed(topic: LiveTopic, id: string, kind = ''): void {
    const now = this.#clock.elapsed()
    const entry: Entry = { topic, kind, id, n: ++this.#last, at: now, texts: new Map() }
    this.#kept.push(entry)
    const key = keyOf(entry)
    // Nobody gets the older state any more.
    this.#kept[(this.#newest.get(key) ?? 0) - this.#forgotten - 1]?.texts.clear()
    this.#newest.set(key, entry.n)
    this.#forget(now)
    this.#wake()
  }

  /** The same of what changes many times a second: the readers get it once a second. */
  changedSoon(topic: LiveTopic, id: string, kind = ''): void {
    this.#soon.set(keyOf({ topic, kind, id }), { topic, kind, id })
    this.#soonTimer ??= this.#clock.after(soonMs, () => this.#tellSoon())
  }

  /** Takes a place until the returned function is called. Throws ApiError `overloaded`, and `rate_limited` where the owner has enough. */
  admit(owner: string): () => void {
    const taken = [...this.#ofOwner.values()].reduce((sum, count) => sum + count, 0)
    if (this.#closed || taken >= mostReaders)
      throw new ApiError('overloaded', `${mostReaders} browsers and programs already read the live stream.`, { retryAfterSeconds: 10 })
    const own = this.#ofOwner.get(owner) ?? 0
    if (own >= mostOfOne)
      throw new ApiError('rate_limited', `This session or token already reads ${mostOfOne} live streams.`, { retryAfterSeconds: 10 })
    this.#ofOwner.set(owner, own + 1)
    let given = false
    return () => {
      if (given) return
      given = true
      const left = (this.#ofOwner.get(owner) ?? 1) - 1
      if (left === 0) this.#ofOwner.delete(owner)
      else this.#ofOwner.set(owner, left)
    }
  }

  /** Resolves when the reader leaves, its session ends or is locked, or the daemon stops. Throws ApiError `overloaded` for a reader that takes nothing. */
  async read(options: Omit<ReaderOptions, 'at' | 'clock'> & { readonly lastId: string | undefined }): Promise<void> {
    const reader = new Reader({ ...options, at: this.#placeOf(options.lastId), clock: this.#clock })
    // How things were when the last reader left says nothing of what this one was shown.
    if (this.#readers.size === 0) for (const { forget } of this.#polls) forget()
    this.#readers.add(reader)
    this.#tick ??= this.#clock.after(tickMs, () => this.#look())
    try {
      if (this.#closed) return
      reader.onFree = () => this.#serve(reader)
      reader.write('retry: 1000\n\n')
      await reader.ended
    } finally {
      this.#readers.delete(reader)
      this.#wantedAt = this.#clock.elapsed()
    }
  }

  /** Releases every reader. */
  close(): void {
    this.#closed = true
    this.#soonTimer?.cancel()
    this.#tick?.cancel()
    for (const reader of this.#readers) reader.end()
  }

  /** Without an id: what happens from now on. Below what is kept for an id of another run: there is a gap. */
  #placeOf(id: string | undefined): number {
    if (id === undefined) return this.#last
    const [, run, n] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(id) ?? []
    return run === this.#run && Number(n) <= this.#last ? Number(n) : -1
  }

  #forget(now: number): void {
    const keep = this.#kept.findIndex(({ at }, index) => now - at < keptMs && this.#kept.length - index <= mostKept)
    if (keep <= 0) return
    for (const entry of this.#kept.slice(0, keep)) if (this.#newest.get(keyOf(entry)) === entry.n) this.#newest.delete(keyOf(entry))
    this.#forgotten = this.#kept[keep - 1]!.n
    this.#kept = this.#kept.slice(keep)
  }

  #tellSoon(): void {
    this.#soonTimer = null
    const things = [...this.#soon.values()]
    this.#soon.clear()
    for (const { topic, id, kind } of things) this.changed(topic, id, kind)
  }

  /** Once for all that changes in this turn of the event loop. */
  #wake(): void {
    if (this.#woken || this.#readers.size === 0) return
    this.#woken = true
    setImmediate(() => {
      this.#woken = false
      for (const reader of this.#readers) this.#serve(reader)
    })
  }

  #serve(reader: Reader): void {
    while (reader.ready) {
      const text = this.#next(reader)
      if (text === '') return
      reader.write(text)
    }
  }

  /** What is new for the reader, as far as it is written at once; '' for nothing. */
  #next(reader: Reader): string {
    if (reader.at < this.#forgotten) {
      reader.at = this.#last
      return `id: ${this.id}\nevent: gap\ndata: {}\n\n`
    }
    let text = ''
    while (reader.at < this.#last && text.length < mostAtOnce) {
      const entry = this.#kept[reader.at - this.#forgotten]!
      reader.at = entry.n
      if (!reader.topics.has(entry.topic) || this.#newest.get(keyOf(entry)) !== entry.n) continue
      const piece = this.#piece(entry, reader.audience)
      if (piece !== null && reader.sees(piece)) text += piece.text
    }
    return text
  }

  #piece(entry: Entry, audience: Audience): Piece | null {
    let piece = entry.texts.get(audience)
    if (piece === undefined) {
      piece = textOf(this.#sources, entry, audience, `${this.#run}-${entry.n}`)
      entry.texts.set(audience, piece)
    }
    return piece
  }

  #look(): void {
    for (const reader of this.#readers) reader.look()
    if (this.#readers.size > 0) for (const { look } of this.#polls) look()
    this.#tick = this.#readers.size === 0 || this.#closed ? null : this.#clock.after(tickMs, () => this.#look())
  }
}

const keyOf = ({ topic, kind, id }: Thing): string => `${topic} ${kind} ${id}`
