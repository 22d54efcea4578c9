/**
 * One request and its answer on the wire. It keeps the library's rules for everybody else: what is needed of the request
 * is copied at once, nothing is touched after the client left or the answer ended, and every write is corked.
 */
import type { RecordedDeed } from '../audit/deed.ts'
import { newRequestId } from '../ids.ts'
import { addressText } from './address.ts'
import { statusLine, type Answer } from './answer.ts'
import { codingOf, encoded, isCompressible, type Coding } from './encoding.ts'
import { clientOf, type Client, type Door } from './client.ts'
import type { RateState } from './rate.ts'
import type { WireRequest, WireResponse } from './wire.ts'

/**
 * An unfinished body of at most this size is read to its end after an early answer, so that the client sees the answer; of somebody who
 * is not known, the smaller one.
 */
const drainBytes = 64 * 1024 * 1024
const strangerDrainBytes = 256 * 1024
/** How long a client that was answered early may go on sending, and how long it may pause. */
const lingerMs = 5_000
const lingerPauseMs = 300

export class Exchange {
  readonly res: WireResponse
  readonly requestId = newRequestId()
  readonly method: string
  /** Not decoded. */
  readonly path: string
  readonly rawQuery: string
  readonly headers = new Map<string, string>()
  /** Of the body; undefined where it was not told, NaN where it is not a number. */
  readonly contentLength: number | undefined
  /**
   * Where the request ends cannot be told: two lengths, a length and chunks, an unknown coding. Nothing after it on the connection
   * may be read as a request (RFC 9112 section 6.3).
   */
  readonly misframed: boolean
  /** The answer is complete or the client has left: the response must not be touched. */
  closed = false
  rate: RateState | undefined
  /** Gives back what its stream has of the rates. */
  limited: (() => void) | undefined
  /** Whether it was shown who asks. */
  known = false
  /** Sees the body as it arrives, before whoever receives it; the memory of the chunk is taken back. */
  onPiece: ((piece: Uint8Array) => void) | undefined
  /** For the audit trail, once it is known who does what. */
  deed: RecordedDeed | undefined
  /** Called once, when the client leaves before the answer is complete. */
  onLeave: (() => void) | undefined
  /** Called once, when nothing more is written or read. */
  onClosed: ((status: number) => void) | undefined
  /** Set while somebody waits for the socket to take more; undefined tells that the client left. */
  #onWritable: ((offset: number | undefined) => void) | undefined
  #onChunk: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined
  #receiving = false
  readonly #door: Door
  #bodyComplete: boolean
  #paused = false
  #answering = false
  #status = 0
  #client: Client | undefined

  constructor(res: WireResponse, req: WireRequest, door: Door) {
    this.res = res
    this.#door = door
    // First of all: without this handler the library ends the process when the client leaves.
    res.onAborted(() => {
      this.#leave()
    })
    this.method = req.getCaseSensitiveMethod()
    this.path = req.getUrl()
    this.rawQuery = req.getQuery() ?? ''
    req.forEach((name, value) => {
      const before = this.headers.get(name)
      this.headers.set(name, before === undefined ? value : `${before}, ${value}`)
    })
    const length = this.headers.get('content-length')
    this.contentLength = length === undefined ? undefined : /^\d{1,15}$/.test(length) ? Number(length) : Number.NaN
    const coding = this.headers.get('transfer-encoding')
    this.misframed =
      Number.isNaN(this.contentLength) || (coding !== undefined && (coding.toLowerCase() !== 'chunked' || length !== undefined))
    this.#bodyComplete = !this.headers.has('transfer-encoding') && (length === undefined || length === '0')
  }

  /** Whether an answer was begun or can no longer be given. */
  get answered(): boolean {
    return this.closed || this.#answering
  }

  get hasBody(): boolean {
    return !this.#bodyComplete
  }

  get client(): Client {
    return (this.#client ??= clientOf(
      this.closed ? '' : addressText(new Uint8Array(this.res.getRemoteAddress())),
      this.headers,
      this.#door,
    ))
  }

  /** Of the client. */
  address(): string {
    return this.client.address
  }

  /** Hands over the body as it arrives. Must be called before the library's handler returns. Chunks have to be copied. */
  receive(onChunk: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.#onChunk = onChunk
    if (this.#receiving) return
    this.#receiving = true
    this.res.onData((chunk, isLast) => {
      if (isLast) this.#bodyComplete = true
      if (!this.answered) this.onPiece?.(new Uint8Array(chunk))
      this.#onChunk?.(chunk, isLast)
    })
  }

  /** No more of the body for now. */
  pause(): void {
    if (this.#paused || this.closed) return
    this.#paused = true
    this.res.pause()
  }

  resume(): void {
    if (!this.#paused || this.closed) return
    this.#paused = false
    this.res.resume()
  }

  /** Status and headers of an answer that comes piece by piece. */
  begin(answer: Answer): void {
    if (this.answered) return
    this.res.cork(() => {
      this.writeHead(answer)
      this.res.write('')
    })
  }

  /** A piece of an answer that was begun; resolves when the socket takes more, or when the client has left. */
  async push(piece: string): Promise<void> {
    if (this.closed) return
    let taken = false
    this.res.cork(() => {
      taken = this.res.write(piece)
    })
    if (!taken) await this.writable()
  }

  /** The last piece of an answer that was begun. */
  finish(piece: string): void {
    if (this.closed) return
    // What is still to come of the body is read to its end.
    this.resume()
    this.res.cork(() => {
      this.res.write(piece)
      this.res.end()
      this.#close()
    })
  }

  /** Sends a whole answer that fits in memory; of two the second is dropped. */
  send(answer: Answer): void {
    if (this.answered) return
    this.#status = answer.status
    if (this.misframed) {
      this.#sendLast(answer)
      return
    }
    this.resume()
    if (this.#mustLinger()) {
      this.#linger(answer)
      return
    }
    if (!isCompressible(answer)) {
      this.#sendWhole(answer, answer.body)
      return
    }
    const varying = withHeader(answer, 'Vary', 'Accept-Encoding')
    const coding = codingOf(this.headers.get('accept-encoding'), answer.body!.length)
    if (coding === undefined) this.#sendWhole(varying, answer.body)
    else void this.#sendEncoded(varying, coding)
  }

  async #sendEncoded(answer: Answer, coding: Coding): Promise<void> {
    this.#answering = true
    const made = await encoded(answer.body!, coding)
    if (this.closed) return
    // The same thing in other bytes: its tag is no longer a strong one (RFC 9110 section 8.8.1).
    const etag = answer.headers?.['ETag']
    const tagged = etag === undefined || etag.startsWith('W/') ? answer : withHeader(answer, 'ETag', `W/${etag}`)
    this.#sendWhole(withHeader(tagged, 'Content-Encoding', coding), made)
  }

  #sendWhole(answer: Answer, body: string | Buffer | undefined): void {
    this.res.cork(() => {
      this.writeHead(answer)
      if (body === undefined) {
        if (answer.status === 204 || answer.status === 304) this.res.endWithoutBody()
        else this.res.end()
      } else if (this.method === 'HEAD') {
        this.endHead(Buffer.byteLength(body))
        return
      } else this.res.end(body)
      this.#close()
    })
  }

  /**
   * Answers and closes the connection. Later, not now: while the answer is due, the library closes the connection at what it would
   * read as the next request; once it is given, it would serve that first.
   */
  #sendLast(answer: Answer): void {
    this.#answering = true
    setImmediate(() => this.#endLast(answer))
  }

  #endLast(answer: Answer, close = true): void {
    if (this.closed) return
    this.res.cork(() => {
      this.writeHead(answer)
      this.res.end(this.method === 'HEAD' ? '' : answer.body, close)
      this.#close()
    })
  }

  /** Status and headers; inside a cork. */
  writeHead(answer: Answer, status = answer.status): void {
    const { res } = this
    this.#answering = true
    this.#status = status
    res.writeStatus(statusLine(status))
    if (answer.type !== undefined) res.writeHeader('Content-Type', answer.type)
    res.writeHeader('X-Request-Id', this.requestId)
    res.writeHeader('X-Content-Type-Options', 'nosniff')
    let caching = false
    for (const name in answer.headers) {
      if (name.toLowerCase() === 'cache-control') caching = true
      res.writeHeader(name, answer.headers[name]!)
    }
    if (this.#door.secure) res.writeHeader('Strict-Transport-Security', 'max-age=31536000')
    if (!caching) res.writeHeader('Cache-Control', 'no-store')
    if (this.rate !== undefined) {
      res.writeHeader('RateLimit-Limit', String(this.rate.limit))
      res.writeHeader('RateLimit-Remaining', String(this.rate.remaining))
      res.writeHeader('RateLimit-Reset', String(this.rate.resetSeconds))
    }
  }

  /** Offers the next part of a body of `total` bytes; inside a cork. Done means the answer is complete. */
  offer(chunk: Uint8Array, total: number): { taken: boolean; done: boolean } {
    const [taken, done] = this.res.tryEnd(chunk, total)
    if (done) this.#close()
    return { taken, done }
  }

  /** Resolves with the number of body bytes sent so far once the socket takes more, with undefined when the client left. */
  writable(): Promise<number | undefined> {
    if (this.closed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const first = this.#onWritable === undefined
      this.#onWritable = resolve
      if (!first) return
      this.res.onWritable((offset) => {
        this.#onWritable?.(offset)
        return true
      })
    })
  }

  /** Ends an answer without a body, of which the head was written, as if `length` bytes followed; inside a cork. */
  endHead(length: number): void {
    // Told the length, the library would wait for the bytes and refuse the connection's next request.
    this.res.writeHeader('Content-Length', String(length))
    this.res.endWithoutBody()
    this.#close()
  }

  /** Cuts the connection: the only honest end of an answer that cannot be completed. */
  abort(): void {
    if (!this.closed) this.res.close()
  }

  get #drainBytes(): number {
    return this.known ? drainBytes : strangerDrainBytes
  }

  /** A body without a known, bearable end would be swallowed for ever after the answer. */
  #mustLinger(): boolean {
    if (this.#bodyComplete) return false
    return this.contentLength === undefined || !(this.contentLength <= this.#drainBytes)
  }

  /**
   * RFC 9112 section 9.6: reads on for a while, since closing with unread bytes would destroy the answer on its way. The answer comes
   * last, because the library can only close a connection together with a whole answer.
   */
  #linger(answer: Answer): void {
    this.#answering = true
    const stop = (close = true): void => {
      clearTimeout(pause)
      this.#endLast(answer, close)
    }
    const pause = setTimeout(stop, lingerPauseMs)
    const until = Date.now() + lingerMs
    let left = this.#drainBytes
    this.onLeave = () => clearTimeout(pause)
    this.receive((chunk, isLast) => {
      left -= chunk.byteLength
      if (isLast || left < 0 || Date.now() > until) stop(!isLast)
      else pause.refresh()
    })
  }

  #leave(): void {
    if (this.closed) return
    const { onLeave } = this
    this.#close()
    this.#onWritable?.(undefined)
    onLeave?.()
  }

  #close(): void {
    if (this.closed) return
    this.closed = true
    this.#onChunk = undefined
    this.onClosed?.(this.#status)
  }
}

function withHeader(answer: Answer, name: string, value: string): Answer {
  return { ...answer, headers: { ...answer.headers, [name]: value } }
}
