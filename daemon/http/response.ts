/** The answer to one request, written to its connection: head and body in one piece wherever that can be. */
import type { Socket } from 'node:net'
import type { WireResponse } from './wire.ts'

/** What an answer needs of its connection. */
export interface AnsweredConnection {
  readonly socket: Socket
  readonly address: string
  /** The answer is complete. */
  ended(): void
  /** Somebody takes the body. */
  wanted(): void
  /** The body is taken again. */
  flow(): void
}

/** Of its request. */
export interface Wanted {
  /** HEAD. */
  readonly headOnly: boolean
  /** The client reads chunks. */
  readonly chunks: boolean
  /** The connection stays open, where the answer says where it ends. */
  readonly keepAlive: boolean
}

const nothing = new Uint8Array(0)
const keepOpen = 'Connection: keep-alive\r\nKeep-Alive: timeout=10\r\n\r\n'
const closeAfter = 'Connection: close\r\n\r\n'

let date = { second: 0, header: '' }

function dateHeader(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== date.second) date = { second, header: `Date: ${new Date(second * 1000).toUTCString()}\r\n` }
  return date.header
}

export class Response implements WireResponse {
  readonly #connection: AnsweredConnection
  readonly #wanted: Wanted
  #status = '200 OK'
  #headers = ''
  /** Its head is written. */
  begun = false
  /** It is complete. */
  ended = false
  keepAlive: boolean
  /** The connection is closed with it, whatever is still to come of the request. */
  closes = false
  #chunked = false
  #left = 0
  #onWritable: (() => void) | undefined
  #onAborted: (() => void) | undefined
  #onData: ((piece: Uint8Array<ArrayBuffer>, isLast: boolean) => void) | undefined
  /** Of the body, what nobody takes yet. */
  readonly #waiting: Uint8Array<ArrayBuffer>[] = []
  #bodyComplete = false
  #paused = false

  constructor(connection: AnsweredConnection, wanted: Wanted) {
    this.#connection = connection
    this.#wanted = wanted
    this.keepAlive = wanted.keepAlive
  }

  get socket(): Socket {
    return this.#connection.socket
  }

  get address(): string {
    return this.#connection.address
  }

  /** It comes in pieces, of which nobody knows the last. */
  get endless(): boolean {
    return this.begun && !this.ended && this.#chunked
  }

  writeStatus(status: string): void {
    this.#status = status
  }

  writeHeader(name: string, value: string): void {
    this.#headers += `${name}: ${value}\r\n`
  }

  writeHeaders(lines: string): void {
    this.#headers += lines
  }

  /** `length`: of the body; undefined where it has none, null where it is not known. */
  #head(length: number | undefined | null): string {
    this.begun = true
    const { chunks, headOnly } = this.#wanted
    this.#chunked = length === null && chunks && !headOnly
    // Of HTTP/1.0 such a body ends with the connection.
    if (!chunks && typeof length !== 'number') this.keepAlive = false
    const framing = typeof length === 'number' ? `Content-Length: ${length}\r\n` : this.#chunked ? 'Transfer-Encoding: chunked\r\n' : ''
    return `HTTP/1.1 ${this.#status}\r\n${this.#headers}${framing}${dateHeader()}${this.keepAlive ? keepOpen : closeAfter}`
  }

  write(piece: string): boolean {
    const head = this.begun ? '' : this.#head(null)
    const body = piece === '' || this.#wanted.headOnly ? '' : this.#chunked ? chunk(piece) : piece
    return head === '' && body === '' ? true : this.socket.write(head + body)
  }

  end(body: string | Uint8Array = '', closeConnection = false): void {
    if (closeConnection) {
      this.closes = true
      this.keepAlive = false
    }
    const { socket } = this
    if (this.begun) {
      const last = typeof body === 'string' && body !== '' && !this.#wanted.headOnly ? (this.#chunked ? chunk(body) : body) : ''
      const all = this.#chunked ? `${last}0\r\n\r\n` : last
      if (all !== '') socket.write(all)
    } else {
      const length = Buffer.byteLength(body)
      const head = this.#head(length)
      if (length === 0 || this.#wanted.headOnly) socket.write(head, 'latin1')
      // In ASCII both are the same, and this one is written faster.
      else if (typeof body === 'string') socket.write(head + body, length === body.length ? 'latin1' : 'utf8')
      else this.#together(head, body)
    }
    this.#end()
  }

  endWithoutBody(length?: number): void {
    this.socket.write(this.#head(length), 'latin1')
    this.#end()
  }

  part(bytes: Uint8Array, total: number): boolean {
    let taken: boolean
    if (this.begun) taken = this.socket.write(bytes)
    else {
      this.#left = total
      taken = this.#together(this.#head(total), bytes)
    }
    this.#left -= bytes.byteLength
    if (this.#left <= 0) this.#end()
    return taken
  }

  #together(head: string, body: Uint8Array): boolean {
    const { socket } = this
    socket.cork()
    socket.write(head, 'latin1')
    const taken = socket.write(body)
    socket.uncork()
    return taken
  }

  #end(): void {
    this.ended = true
    this.#onAborted = this.#onWritable = this.#onData = undefined
    this.#waiting.length = 0
    this.#connection.ended()
  }

  onWritable(handler: () => void): void {
    this.#onWritable = handler
  }

  onAborted(handler: () => void): void {
    this.#onAborted = handler
  }

  onData(handler: (piece: Uint8Array<ArrayBuffer>, isLast: boolean) => void): void {
    this.#onData = handler
    this.#connection.wanted()
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#connection.flow()
  }

  close(): void {
    this.socket.destroy()
  }

  /** The socket takes more. */
  drained(): void {
    this.#onWritable?.()
  }

  /** The client has left. */
  aborted(): void {
    const handler = this.#onAborted
    this.#onAborted = this.#onData = undefined
    this.ended = true
    handler?.()
  }

  /** More of the body. */
  received(pieces: readonly Uint8Array<ArrayBuffer>[], complete: boolean): void {
    this.#bodyComplete = complete
    for (const piece of pieces) {
      if (this.ended) return
      if (this.#takes && this.#waiting.length === 0) this.#onData?.(piece, false)
      else this.#waiting.push(piece)
    }
    this.handOver()
  }

  /** Gives what waits to the handler that takes it. */
  handOver(): void {
    while (this.#takes) {
      const piece = this.#waiting.shift()
      if (piece !== undefined) this.#onData?.(piece, false)
      else if (this.#bodyComplete) {
        const handler = this.#onData
        this.#onData = undefined
        handler?.(nothing, true)
      } else return
    }
  }

  get #takes(): boolean {
    return this.#onData !== undefined && !this.#paused && !this.ended
  }

  /** Whether more of the body may be read. */
  get reads(): boolean {
    return this.ended || this.#takes
  }
}

function chunk(piece: string): string {
  return `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`
}
