/**
 * The events of calls, for programs that show them at once: `call.ringing` with the caller's card when phones of the house ring,
 * `call.answered`, `call.ended`. The events of the last minutes are kept in memory, each once for all readers. A reader that was away for a
 * moment goes on where it was; one that reads too slowly, or was away for too long, is notified that events are missing.
 */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { RecordWatch } from '../history/records.ts'
import type { CallEventData, CrmEventName } from '../schema/crm-requests.ts'
import type { ScreenPopView } from '../schema/crm.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { Store } from '../store/store.ts'

export interface CallEventsOptions {
  readonly store: Pick<Store, 'afterCommit'>
  readonly clock: Clock
  /** The card of the person outside who has this number, from the CRM; within 3 s, and never rejects. */
  readonly card: (number: string, about: CardAbout) => Promise<ScreenPopView>
  /** From what is here. */
  readonly cardAtOnce: (number: string) => ScreenPopView
  /** Whether the CRM can be asked at all. */
  readonly asks: () => boolean
}

interface Kept {
  readonly id: number
  readonly at: number
  /** Phones of the house that it concerns. */
  readonly extensions: readonly string[]
  /** As it is sent; outside the heap, in one piece and memory of its own. */
  readonly text: Buffer
}

export interface CardAbout {
  readonly callId: string
  readonly extension: string
  readonly did: string
  readonly direction: 'inbound'
}

interface Seen {
  readonly rung: Set<string>
  answered: boolean
  /** While the card is fetched: resolves when the next event may be sent. */
  told: Promise<void> | null
}

export interface Reading {
  /** Id of the last event that was read; undefined: what happens from now on. */
  readonly lastId?: number
  /** Events that concern this phone alone. */
  readonly extension?: string
  /** Aborted when the reader leaves. */
  readonly signal: AbortSignal
}

const keptMs = 5 * 60_000
/** Some 3 MB. */
const mostKept = 1000
const heartbeatMs = 15_000
const mostReaders = 200
/** Of these, so that one program leaves places to the others. */
const mostOfOne = mostReaders / 4
/** After this long the reader is notified that it rings, with what is known then; the card of a slow CRM follows as `call.card`. */
const cardWaitMs = 1000

export class CallEvents implements RecordWatch {
  readonly #options: CallEventsOptions
  /** The oldest first. */
  #kept: Kept[] = []
  readonly #calls = new Map<string, Seen>()
  readonly #wakes = new Set<() => void>()
  /** Each with whose place it is. */
  readonly #readers = new Set<{ readonly owner: string }>()
  /** Of the last event. Ids of a later run of the daemon are above those of this one. */
  #lastId: number
  /** Of the last event that is not kept any more. */
  #forgotten: number
  #closed = false

  constructor(options: CallEventsOptions) {
    this.#options = options
    this.#lastId = this.#forgotten = options.clock.now()
  }

  get readers(): number {
    return this.#readers.size
  }

  changed(record: CallRecordView): void {
    this.#options.store.afterCommit(() => this.#tell(record))
  }

  /** Takes a place until the returned function is called. Throws ApiError `overloaded`, and `rate_limited` where the owner has enough. */
  admit(owner: string): () => void {
    if (this.#closed || this.#readers.size >= mostReaders)
      throw new ApiError('overloaded', `${mostReaders} programs already read the events.`, { retryAfterSeconds: 10 })
    if ([...this.#readers].filter((reader) => reader.owner === owner).length >= mostOfOne)
      throw new ApiError('rate_limited', `${mostOfOne} programs already read the events with this token.`, { retryAfterSeconds: 10 })
    const reader = { owner }
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }

  /** Reads for a client that was admitted. Resolves when the reader leaves, or the daemon stops. */
  async read({ lastId = this.#lastId, extension, signal }: Reading, push: (piece: string) => Promise<void>): Promise<void> {
    // A reader with an id from elsewhere has missed an unknown number of events.
    let at = lastId > this.#lastId ? this.#forgotten - 1 : lastId
    await push('retry: 2000\n\n')
    while (!signal.aborted && !this.#closed) {
      if (at < this.#forgotten) {
        at = this.#forgotten
        await push(`id: ${at}\nevent: stream.gap\ndata: {}\n\n`)
      }
      const next = this.#after(at)
      if (next === undefined) {
        if (!(await this.#woken(signal))) await push(': heartbeat\n\n')
        continue
      }
      at = next.id
      if (extension === undefined || next.extensions.includes(extension)) await push(next.text.toString())
    }
  }

  /** Releases every reader. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  #tell(record: CallRecordView): void {
    const { callId, state } = record
    const before = this.#calls.get(callId)
    const seen = before ?? { rung: new Set<string>(), answered: false, told: null }
    const own = record.extension === undefined ? [] : [record.extension]
    if (state === 'ended') {
      this.#calls.delete(callId)
      // A change to the record of a call that has ended is no second end.
      if (before !== undefined || record.rev === 1) this.#inTurn(seen, () => this.#add('call.ended', record, [...own, ...seen.rung]))
      return
    }
    this.#calls.set(callId, seen)
    const rung = record.legs.filter(({ to, trunkId }) => trunkId === '' && !seen.rung.has(to)).map(({ to }) => to)
    for (const extension of rung) seen.rung.add(extension)
    if (rung.length > 0 && !seen.answered) this.#rings(seen, record, rung)
    if (seen.answered || (state !== 'answered' && state !== 'held')) return
    seen.answered = true
    this.#inTurn(seen, () => this.#add('call.answered', record, own))
  }

  #inTurn(seen: Seen, add: () => void): void {
    if (seen.told === null) add()
    else seen.told = seen.told.then(add)
  }

  #rings(seen: Seen, record: CallRecordView, rung: readonly string[]): void {
    const { asks, cardAtOnce } = this.#options
    const number = record.from === '' ? 'anonymous' : record.from
    if (record.direction !== 'inbound') return this.#inTurn(seen, () => this.#add('call.ringing', record, rung))
    if (!asks()) return this.#inTurn(seen, () => this.#add('call.ringing', record, rung, cardAtOnce(number)))
    const before = seen.told ?? Promise.resolve()
    seen.told = before.then(() => this.#ringsWithCard(record, rung, number))
  }

  async #ringsWithCard(record: CallRecordView, rung: readonly string[], number: string): Promise<void> {
    const { card, cardAtOnce, clock } = this.#options
    const fetched = card(number, { callId: record.callId, extension: rung[0]!, did: record.did ?? '', direction: 'inbound' })
    const late = Promise.withResolvers<null>()
    const timer = clock.after(cardWaitMs, () => late.resolve(null))
    const inTime = await Promise.race([fetched, late.promise])
    timer.cancel()
    this.#add('call.ringing', record, rung, inTime ?? cardAtOnce(number))
    if (inTime === null) void fetched.then((shown) => shown.source === 'crm' && this.#add('call.card', record, rung, shown))
  }

  #add(event: CrmEventName, call: CallRecordView, extensions: readonly string[], card?: ScreenPopView): void {
    const now = this.#options.clock.elapsed()
    const id = ++this.#lastId
    const data: CallEventData = { call, extensions, ...(card === undefined ? {} : { card }) }
    const text = ownMemory(`event: ${event}\ndata: ${JSON.stringify(data)}\nid: ${id}\n\n`)
    this.#kept.push({ id, at: now, extensions: [...extensions], text })
    const first = this.#kept.findIndex(({ at }, index) => now - at < keptMs && this.#kept.length - index <= mostKept)
    if (first > 0) {
      this.#forgotten = this.#kept[first - 1]!.id
      this.#kept = this.#kept.slice(first)
    }
    this.#wake()
  }

  #after(id: number): Kept | undefined {
    return this.#kept[id - this.#forgotten]
  }

  /** Resolves true when there may be something new, false when it is time for a heartbeat. */
  async #woken(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const wake = (): void => resolve(true)
    this.#wakes.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    const timer = this.#options.clock.after(heartbeatMs, () => resolve(false))
    try {
      return await promise
    } finally {
      timer.cancel()
      this.#wakes.delete(wake)
      signal.removeEventListener('abort', wake)
    }
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake()
  }
}

/** A short buffer is a part of 8 KB that Node shares out: kept for minutes, it would keep all of them. */
function ownMemory(text: string): Buffer {
  const own = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  own.write(text)
  return own
}
