/** One request and its answer on the wire. It keeps the wire's rule for everybody else: nothing is touched after the client left or the answer ended. */
import type { RecordedDeed } from '../audit/deed.ts'
import { newRequestId } from '../base/ids.ts'
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
  readonly headers: ReadonlyMap<string, string>
  /** Of the body; undefined where it was not given, NaN where it is not a number. */
  readonly contentLength: number | undefined
  /**
   * The end of the request is not known: two lengths, a length and chunks, an unknown coding. Nothing after it on the connection may be
   * read as a request (RFC 9112 section 6.3).
   */
  readonly misframed: boolean
  /** The answer is complete or the client has left: the response must not be touched. */
  closed = false
  rate: RateState | undefined
  /** Gives back what its stream has of the rates. */
  limited: (() => void) | undefined
  /** Whether it was shown who asks. */
  known = false
  /** Whether a session of a person asks: the answer is for that browser alone. */
  personal = false
  /** Sees the body as it arrives, before its receiver. */
  onPiece: ((piece: Uint8Array) => void) | undefined
  /** For the audit trail, once it is known who does what. */
  deed: RecordedDeed | undefined
  /** Called once, when the client leaves before the answer is complete. */
  onLeave: (() => void) | undefined
  /** Called once, when nothing more is written or read. */
  onClosed: ((status: number) => void) | undefined
  /** Set while somebody waits for the socket to take more. */
  #onWritable: (() => void) | undefined
  #onChunk: ((chunk: Uint8Array<ArrayBuffer>, isLast: boolean) => void) | undefined
  readonly #door: Door
  #bodyComplete: boolean
  #paused = false
  #answering = false
  #status = 0
  #sent = 0
  #client: Client | undefined

  constructor(res: WireResponse, req: WireRequest, door: Door) {
    this.res = res
    this.#door = door
    res.onAborted(() => this.#leave())
    this.method = req.method
    this.path = req.path
    this.rawQuery = req.query
    this.headers = req.headers
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
    return (this.#client ??= clientOf(this.res.address, this.headers, this.#door))
  }

  /** Of the client. */
  address(): string {
    return this.client.address
  }

  /** Hands over the body as it arrives. */
  receive(onChunk: (chunk: Uint8Array<ArrayBuffer>, isLast: boolean) => void): void {
    const first = this.#onChunk === undefined
    this.#onChunk = onChunk
    if (!first) return
    this.res.onData((chunk, isLast) => {
      if (isLast) this.#bodyComplete = true
      if (!this.answered) this.onPiece?.(chunk)
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
    this.writeHead(answer)
    this.res.write('')
  }

  /** A piece of an answer that was begun; resolves when the socket takes more, or when the client has left. */
  async push(piece: string): Promise<void> {
    if (this.closed) return
    if (!this.res.write(piece)) await this.writable()
  }

  /** The last piece of an answer that was begun. */
  finish(piece: string): void {
    if (this.closed) return
    // What is still to come of the body is read to its end.
    this.resume()
    this.res.end(piece)
    this.#close()
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
    this.res.writeHeaders('Vary: Accept-Encoding\r\n')
    const coding = codingOf(this.headers.get('accept-encoding'), answer.body!.length)
    if (coding === undefined) this.#sendWhole(answer, answer.body)
    else void this.#sendEncoded(answer, coding)
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
    this.writeHead(answer)
    if (body === undefined && (answer.status === 204 || answer.status === 304)) this.res.endWithoutBody()
    else this.res.end(body)
    this.#close()
  }

  /** Answers and closes the connection. */
  #sendLast(answer: Answer): void {
    if (this.closed) return
    this.writeHead(answer)
    this.res.end(answer.body, true)
    this.#close()
  }

  /** Status and headers. */
  writeHead(answer: Answer, status = answer.status): void {
    const { res } = this
    this.#answering = true
    this.#status = status
    res.writeStatus(statusLine(status))
    if (answer.type !== undefined) res.writeHeader('Content-Type', answer.type)
    res.writeHeaders(`X-Request-Id: ${this.requestId}\r\nX-Content-Type-Options: nosniff\r\n`)
    let caching = false
    for (const name in answer.headers) {
      if (name.toLowerCase() === 'cache-control') caching = true
      res.writeHeader(name, answer.headers[name]!)
    }
    for (const cookie of answer.cookies ?? []) res.writeHeader('Set-Cookie', cookie)
    if (!caching) res.writeHeaders(this.personal ? 'Cache-Control: private, no-store\r\n' : 'Cache-Control: no-store\r\n')
    if (this.rate === undefined) return
    const { limit, remaining, resetSeconds } = this.rate
    res.writeHeaders(`RateLimit-Limit: ${limit}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${resetSeconds}\r\n`)
  }

  /** The next part of a body of `total` bytes; resolves when the socket takes more, with false when the answer is complete or the client left. */
  async part(bytes: Uint8Array, total: number): Promise<boolean> {
    const taken = this.res.part(bytes, total)
    this.#sent += bytes.byteLength
    if (this.#sent >= total) this.#close()
    else if (!taken) await this.writable()
    return !this.closed
  }

  /** Resolves once the socket takes more, or the client has left. */
  writable(): Promise<void> {
    if (this.closed) return Promise.resolve()
    return new Promise((resolve) => {
      if (this.#onWritable === undefined) this.res.onWritable(() => this.#onWritable?.())
      this.#onWritable = resolve
    })
  }

  /** Ends an answer without a body, of which the head was written, as if `length` bytes followed. */
  endHead(length: number): void {
    this.res.endWithoutBody(length)
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
   * Reads on for a while, as the client reads the answer only then (RFC 9112 section 9.6). The answer comes last, when it is known whether
   * the body has ended, so that the connection may serve on.
   */
  #linger(answer: Answer): void {
    this.#answering = true
    const stop = (isWhole: boolean): void => {
      clearTimeout(pause)
      if (this.closed) return
      if (isWhole) this.#sendWhole(answer, answer.body)
      else this.#sendLast(answer)
    }
    const pause = setTimeout(stop, lingerPauseMs, false)
    const until = Date.now() + lingerMs
    let left = this.#drainBytes
    this.onLeave = () => clearTimeout(pause)
    this.receive((chunk, isLast) => {
      left -= chunk.byteLength
      if (isLast || left < 0 || Date.now() > until) stop(isLast)
      else pause.refresh()
    })
  }

  #leave(): void {
    if (this.closed) return
    const { onLeave } = this
    this.#close()
    this.#onWritable?.()
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
