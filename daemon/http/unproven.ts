/**
 * Bodies of requests whose sender is not known before the body is there: signed ones, and those of providers. All of them together have
 * 1 MiB of memory, and never a place of those that are known. Where it is full, the largest gives way to what is smaller.
 */
import { nothingReceived, overloaded, tooLarge, type ReceivedBody } from './body.ts'
import type { ApiError } from '../errors.ts'
import type { Exchange } from './exchange.ts'

export const unprovenBytes = 1024 * 1024

interface Share {
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
    if ((exchange.contentLength ?? 0) > most) return done(tooLarge(most))
    const chunks: Uint8Array<ArrayBuffer>[] = []
    const share: Share = { bytes: 0, giveWay: () => finish(overloaded()) }
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
      if (share.bytes + chunk.byteLength > most) return finish(tooLarge(most))
      if (!this.#take(share, chunk.byteLength)) return finish(overloaded())
      // The library takes the memory of the chunk back when this returns.
      chunks.push(new Uint8Array(chunk.slice(0)))
      if (isLast) finish({ chunks, bytes: share.bytes, release })
    })
  }

  #take(share: Share, bytes: number): boolean {
    while (this.#bytes + bytes > unprovenBytes) {
      let largest: Share | undefined
      for (const one of this.#shares) if (one !== share && one.giveWay !== undefined && one.bytes > (largest?.bytes ?? -1)) largest = one
      if (largest?.giveWay === undefined || largest.bytes < share.bytes + bytes) return false
      largest.giveWay()
    }
    share.bytes += bytes
    this.#bytes += bytes
    return true
  }

  #release(share: Share): void {
    if (this.#shares.delete(share)) this.#bytes -= share.bytes
  }
}
