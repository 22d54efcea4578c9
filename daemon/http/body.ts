/** Collects the body of a request, within its limit and with few large ones at once. */
import { ApiError } from '../base/errors.ts'
import type { Exchange } from './exchange.ts'

export const largeBodyBytes = 1024 * 1024

/** When all places are taken, one that has had this time gives way if it is slower than this, and any one after the longer time. */
const graceMs = 5_000
const slowBytesPerSecond = 256 * 1024
const longMs = 60_000

export interface Place {
  /** Counts what arrived. */
  count(bytes: number): void
  /** The whole body is here: the place is kept until it is released. */
  received(): void
  /** Gives the place back, once. */
  release(): void
}

interface Held {
  readonly owner: string
  readonly since: number
  bytes: number
  /** Ends the upload, which releases the place. */
  giveWay: (() => void) | undefined
}

/** Places for bodies over 1 MiB. */
export class LargeBodies {
  readonly #places: number
  readonly #held = new Set<Held>()
  readonly #now: () => number

  constructor(places: number, now: () => number = () => performance.now()) {
    this.#places = places
    this.#now = now
  }

  /** The same for one owner. */
  of(owner: string): { readonly enter: (giveWay: () => void) => Place | undefined } {
    return { enter: (giveWay) => this.enter(owner, giveWay) }
  }

  /**
   * Undefined where all places are taken by uploads that move, and no owner has two while this one has none. `giveWay` is called when this
   * one is in another's way; it has to release the place.
   */
  enter(owner: string, giveWay: () => void): Place | undefined {
    if (this.#held.size >= this.#places) (this.#slowest() ?? this.#spare(owner))?.giveWay?.()
    if (this.#held.size >= this.#places) return undefined
    const held: Held = { owner, since: this.#now(), bytes: 0, giveWay }
    this.#held.add(held)
    return {
      count: (bytes) => (held.bytes += bytes),
      release: () => void this.#held.delete(held),
      received: () => (held.giveWay = undefined),
    }
  }

  /** The last one of the owner who has the most of them, for an owner who has none. */
  #spare(owner: string): Held | undefined {
    const all = Map.groupBy(this.#held, (held) => held.owner)
    if (all.has(owner)) return undefined
    const [most = []] = [...all.values()].toSorted((a, b) => b.length - a.length)
    return most.length < 2 ? undefined : most.findLast(({ giveWay }) => giveWay !== undefined)
  }

  #slowest(): Held | undefined {
    const now = this.#now()
    const rate = ({ since, bytes }: Held): number => (bytes * 1000) / Math.max(1, now - since)
    return [...this.#held]
      .filter((held) => held.giveWay !== undefined && now - held.since > graceMs)
      .filter((held) => rate(held) < slowBytesPerSecond || now - held.since > longMs)
      .toSorted((a, b) => rate(a) - rate(b))[0]
  }
}

/** Takes a large body while it arrives. */
export interface ChunkTaker {
  /** The memory of the chunk is gone afterwards. */
  push(chunk: Uint8Array<ArrayBuffer>): void
  /** The rest will not come. */
  drop(): void
}

export interface ReceivedBody<T extends ChunkTaker = ChunkTaker> {
  /** As it arrived. None where `taker` has them. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  readonly taker?: T
  readonly bytes: number
  /** To be called when the body is no longer needed. */
  release(): void
}

export const nothingReceived = { chunks: [], bytes: 0, release: () => undefined }

export function wholeBody({ chunks, bytes }: ReceivedBody): Buffer {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? Buffer.from(first.buffer, first.byteOffset, bytes) : Buffer.concat(chunks, bytes)
}

/**
 * Calls `done` once, unless the client leaves before: then the place of a large body is given back here. `takerOf`: makes what takes
 * the chunks of a body over 1 MiB, each as it comes; without it they are collected.
 */
export function receiveBody<T extends ChunkTaker>(
  exchange: Exchange,
  limitBytes: number,
  places: { readonly enter: (giveWay: () => void) => Place | undefined },
  takerOf: (() => T) | undefined,
  done: (result: ReceivedBody<T> | ApiError) => void,
): void {
  if (!exchange.hasBody) {
    done(nothingReceived)
    return
  }
  const { contentLength } = exchange
  if (contentLength !== undefined && contentLength > limitBytes) {
    done(tooLarge(limitBytes))
    return
  }
  if (contentLength !== undefined && contentLength <= largeBodyBytes) {
    receiveSmall(exchange, done)
    return
  }
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  let finished = false
  let place: Place | undefined
  let taker: T | undefined
  const giveUp = (): void => {
    place?.release()
    taker?.drop()
    chunks.length = 0
  }
  const finish = (result: ReceivedBody<T> | ApiError): void => {
    finished = true
    exchange.onLeave = undefined
    if (result instanceof ApiError) giveUp()
    else place?.received()
    done(result)
  }
  const enter = (): boolean => {
    place = places.enter(() => finish(overloaded()))
    if (place === undefined) return false
    taker = takerOf?.()
    if (taker !== undefined) for (const chunk of chunks.splice(0)) taker.push(chunk)
    return true
  }
  if (contentLength !== undefined && contentLength > largeBodyBytes && !enter()) {
    done(overloaded())
    return
  }
  exchange.onLeave = giveUp
  exchange.receive((chunk, isLast) => {
    if (finished) return
    total += chunk.byteLength
    if (total > limitBytes) {
      finish(tooLarge(limitBytes))
      return
    }
    if (total > largeBodyBytes && place === undefined && !enter()) {
      finish(overloaded())
      return
    }
    place?.count(chunk.byteLength)
    // It may be given away, and what arrived with it is not: it has memory of its own.
    const copy = new Uint8Array(chunk)
    if (taker !== undefined) taker.push(copy)
    else if (copy.length > 0) chunks.push(copy)
    if (isLast) finish({ chunks, ...(taker === undefined ? {} : { taker }), bytes: total, release: () => place?.release() })
  })
}

/** A body that needs no place, as most: no more of it is given than its length says. */
function receiveSmall(exchange: Exchange, done: (result: ReceivedBody<never>) => void): void {
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  exchange.receive((chunk, isLast) => {
    if (bytes === 0) chunks = [chunk]
    else if (chunk.length > 0) chunks.push(chunk)
    bytes += chunk.length
    if (isLast) done({ chunks, bytes, release: nothingReceived.release })
  })
}

/** `advice`: a sentence. */
export function tooLarge(limitBytes: number, advice = ''): ApiError {
  const text = `The body is larger than the ${limitBytes} bytes allowed here.`
  return new ApiError('body_too_large', advice === '' ? text : `${text} ${advice}`, { extra: { limitBytes } })
}

export function overloaded(): ApiError {
  return new ApiError('overloaded', 'Too many large requests are in progress; try again in a moment.', { retryAfterSeconds: 2 })
}
