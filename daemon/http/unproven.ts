/**
 * Bodies of requests whose sender is not known before the body is there: signed ones, and those of providers. All of them together have
 * 1 MiB of memory, and never a place of those that are known. Where it is full, the address that has most of it gives way to one that has
 * less, by its largest body.
 */
import { nothingReceived, overloaded, tooLarge, type ReceivedBody } from './body.ts'
import type { ApiError } from '../base/errors.ts'
import { addressKey } from './address.ts'
import type { Exchange } from './exchange.ts'

export const unprovenBytes = 1024 * 1024

const howToSendMore = 'Higher limits apply once this address has sent a signed GET, or with a token.'

interface Share {
  /** Whose it is, as failures are counted. */
  readonly owner: string
  bytes: number
  /** Ends the upload; undefined once the body is complete. */
  giveWay: (() => void) | undefined
}

export class UnprovenBodies {
  readonly #shares = new Set<Share>()
  #bytes = 0

  /** As `receiveBody`, for at most 1 MiB. */
  receive(exchange: Exchange, limitBytes: number, done: (result: ReceivedBody<never> | ApiError) => void): void {
    const most = Math.min(limitBytes, unprovenBytes)
    if (!exchange.hasBody) return done(nothingReceived)
    const tooMuch = (): ApiError => tooLarge(most, limitBytes > most ? howToSendMore : '')
    if ((exchange.contentLength ?? 0) > most) return done(tooMuch())
    const chunks: Uint8Array<ArrayBuffer>[] = []
    const share: Share = { owner: addressKey(exchange.address()), bytes: 0, giveWay: () => finish(overloaded()) }
    let finished = false
    const release = (): void => this.#release(share)
    const finish = (result: ReceivedBody<never> | ApiError): void => {
      finished = true
      share.giveWay = undefined
      exchange.onLeave = undefined
      if (!('chunks' in result)) release()
      done(result)
    }
    this.#shares.add(share)
    exchange.onLeave = () => {
      finished = true
      release()
    }
    exchange.receive((chunk, isLast) => {
      if (finished) return
      if (share.bytes + chunk.byteLength > most) return finish(tooMuch())
      if (!this.#take(share, chunk.byteLength)) return finish(overloaded())
      // Counted is what it has of its own: what arrived with it is not kept.
      chunks.push(new Uint8Array(chunk))
      if (isLast) finish({ chunks, bytes: share.bytes, release })
    })
  }

  #take(share: Share, bytes: number): boolean {
    while (this.#bytes + bytes > unprovenBytes) {
      const other = this.#toGiveWay(share, bytes)
      if (other === undefined) return false
      other.giveWay?.()
    }
    share.bytes += bytes
    this.#bytes += bytes
    return true
  }

  /**
   * The largest share of an owner that has more than this one's owner would have; of the same owner, one that is larger than this one would
   * be.
   */
  #toGiveWay(share: Share, bytes: number): Share | undefined {
    const owned = new Map<string, number>()
    for (const { owner, bytes: some } of this.#shares) owned.set(owner, (owned.get(owner) ?? 0) + some)
    const weight = ({ owner }: Share): number => owned.get(owner) ?? 0
    const most = share.bytes + bytes
    return [...this.#shares]
      .filter((one) => one !== share && one.giveWay !== undefined && one.bytes > 0)
      .filter((one) => (one.owner === share.owner ? one.bytes >= most : weight(one) > weight(share) + bytes))
      .toSorted((a, b) => weight(b) - weight(a) || b.bytes - a.bytes)[0]
  }

  #release(share: Share): void {
    if (this.#shares.delete(share)) this.#bytes -= share.bytes
  }
}
