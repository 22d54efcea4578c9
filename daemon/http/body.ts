/** Collects the body of a request, within its limit and with few large ones at once. */
import { ApiError } from '../errors.ts'
import type { Exchange } from './exchange.ts'

export const largeBodyBytes = 1024 * 1024

/** Places for bodies over 1 MiB. */
export class LargeBodies {
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  /** Undefined where all places are taken; otherwise gives the place back, once. */
  enter(): (() => void) | undefined {
    if (this.#free === 0) return undefined
    this.#free--
    let held = true
    return () => {
      if (held) this.#free++
      held = false
    }
  }
}

export interface ReceivedBody {
  readonly raw: Buffer
  /** To be called when the body is no longer needed. */
  release(): void
}

const nothing: ReceivedBody = { raw: Buffer.alloc(0), release: () => undefined }

/** Calls `done` once, unless the client leaves before: then the place of a large body is given back here. */
export function receiveBody(
  exchange: Exchange,
  limitBytes: number,
  places: LargeBodies,
  done: (result: ReceivedBody | ApiError) => void,
): void {
  if (!exchange.hasBody) {
    done(nothing)
    return
  }
  const { contentLength } = exchange
  if (contentLength !== undefined && contentLength > limitBytes) {
    done(tooLarge(limitBytes))
    return
  }
  let release: (() => void) | undefined
  if (contentLength !== undefined && contentLength > largeBodyBytes) {
    release = places.enter()
    if (release === undefined) {
      done(overloaded())
      return
    }
  }
  const chunks: Buffer[] = []
  let total = 0
  let finished = false
  const finish = (result: ReceivedBody | ApiError): void => {
    finished = true
    exchange.onLeave = undefined
    if (result instanceof ApiError) release?.()
    done(result)
  }
  exchange.onLeave = () => release?.()
  exchange.receive((chunk, isLast) => {
    if (finished) return
    total += chunk.byteLength
    if (total > limitBytes) {
      finish(tooLarge(limitBytes))
      return
    }
    if (total > largeBodyBytes && release === undefined) {
      release = places.enter()
      if (release === undefined) {
        finish(overloaded())
        return
      }
    }
    // The library takes the memory of the chunk back when this returns.
    if (chunk.byteLength > 0) chunks.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) finish({ raw: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total), release: () => release?.() })
  })
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError('body_too_large', `The body is larger than the ${limitBytes} bytes allowed here.`, { extra: { limitBytes } })
}

function overloaded(): ApiError {
  return new ApiError('overloaded', 'Too many large requests are being handled; try again in a moment.', { retryAfterSeconds: 2 })
}
