/** The body of a request, handed to its reader at the reader's speed. */
import { tooLarge } from './body.ts'
import type { Exchange } from './exchange.ts'

/** What may wait to be read before the client is held up. */
const mostWaiting = 1024 * 1024

/**
 * Must be called before the server's handler returns. To be read once; rejects with the reason of `signal`, or with body_too_large,
 * which is thrown here where the request says how long it is. What comes after the reader has stopped is dropped.
 */
export function receiveUpload(exchange: Exchange, limitBytes: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if ((exchange.contentLength ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const waiting: Uint8Array[] = []
  let bytes = 0
  let total = 0
  let complete = !exchange.hasBody
  let dropped = false
  let wake = (): void => undefined
  signal.addEventListener('abort', () => wake())
  if (!complete)
    exchange.receive((chunk, isLast) => {
      complete = isLast
      if (!dropped) {
        waiting.push(chunk)
        bytes += chunk.byteLength
        total += chunk.byteLength
        if (bytes > mostWaiting) exchange.pause()
      }
      wake()
    })
  return (async function* () {
    try {
      for (;;) {
        signal.throwIfAborted()
        if (total > limitBytes) throw tooLarge(limitBytes)
        const chunk = waiting.shift()
        if (chunk !== undefined) {
          bytes -= chunk.byteLength
          if (bytes <= mostWaiting / 2) exchange.resume()
          yield chunk
        } else if (complete) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      dropped = true
      waiting.length = 0
      exchange.resume()
    }
  })()
}
