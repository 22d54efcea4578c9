/**
 * One connection: its requests, one after the other (RFC 9112 section 9.3.2). After the end of a request nothing is parsed until its answer
 * is complete: so answers keep their order, a request sees what the one in front of it did, one that gets no answer, because the connection
 * is closed first, has no effect, and a flood costs the memory of one read.
 */
import { Socket } from 'node:net'
import { mostAtOnce, RequestParser, type Head } from './llhttp.ts'
import { Response } from './response.ts'
import type { Accept, WireRequest } from './wire.ts'
import { ApiError } from '../base/errors.ts'
import { newRequestId } from '../base/ids.ts'
import { errorAnswer, statusLine } from './answer.ts'

/**
 * One place of 64 KB into which all connections read. For a socket of a server Node takes fresh memory of that size with each read, which
 * costs the system call that maps it, a fault of a page and work of the collector: a tenth of a short request.
 */
const place = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * The connection again, as a socket that reads so. `accepted`: of a server with `pauseOnConnect`, which keeps nothing of it. `take`: what came,
 * in memory that the next read of any connection overwrites. The server of Node has no setting for `onread`, but a new socket has.
 */
function readingTogether(accepted: Socket, take: (chunk: Buffer<ArrayBuffer>) => void): Socket {
  const owner = accepted as unknown as { _handle: unknown }
  const handle = owner._handle
  owner._handle = null
  accepted.destroy()
  const onread = {
    buffer: place,
    callback: (bytes: number) => {
      take(place.subarray(0, bytes))
      return true
    },
  }
  return new Socket({ handle, onread, allowHalfOpen: true } as ConstructorParameters<typeof Socket>[0])
}

/** The answer to what cannot be read as a request, or comes too slowly. */
type RefusalStatus = 400 | 405 | 408 | 417 | 431

/** All of it; the connection is closed afterwards. */
function refusal(status: RefusalStatus): string {
  const requestId = newRequestId()
  const text =
    status === 400
      ? 'This is not a valid HTTP/1.1 request: its request line, a header or its framing is wrong.'
      : statusLine(status).slice(4)
  const { body = '' } = errorAnswer(new ApiError('invalid_url', text), requestId, false)
  const headers = [
    'Content-Type: application/json',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  return `HTTP/1.1 ${statusLine(status)}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}

/** What the connections of one listener share. */
export interface Served {
  readonly accept: Accept
  /** What comes is TLS: it is decrypted into memory of its own. */
  readonly secure: boolean
  /** Of a head. */
  readonly mostHeadBytes: number
  /** Since some moment: one timer counts them for all. */
  seconds: number
  /** No further request is waited for. */
  stopping: boolean
}

/** Of a connection. In seconds, of which each may take up to one more. */
const longest = {
  /** From the beginning of the connection, or the first byte of a head, to its end. */
  head: 15,
  /** From the end of a head to that of the body. */
  body: 300,
  /** From an answer to the next request. */
  idle: 10,
  /** For what is due to a client that sends no more: it has most likely left. */
  halfClosed: 2,
  /** What a client still sends is read for a while after its last answer, or that would be lost (RFC 9112 section 9.6). */
  lingering: 2,
}
/** What is read before it may be parsed; while there is less, it is seen when the client leaves. */
const mostAhead = 16 * 1024
/** Requests in a row that came before the answers to those in front of them; with the answer to the last one the connection is closed. */
const mostInRow = 100
/** What a lingering client may send. */
const mostIgnored = 256 * 1024

const nothing = Buffer.alloc(0)

export class Connection {
  readonly socket: Socket
  /** Of the other end, as text; '' of a unix socket. */
  readonly address: string
  readonly #served: Served
  /** In the middle of a request. */
  #parser: RequestParser | undefined
  /** To the request that is being received or answered. */
  #response: Response | undefined
  /** All of that request is here. */
  #received = false
  /** What came and is not parsed yet. */
  #ahead = nothing
  #paused = false
  #busy = false
  #inRow = 0
  #halfClosed = false
  /** The last answer is given. */
  #over = false
  #ignored = 0
  /** What is waited for: a slow client gets an answer, a silent one does not. */
  #waiting: keyof typeof longest | 'answer' = 'head'
  #until: number

  constructor(accepted: Socket, address: string, served: Served) {
    const take = (chunk: Buffer<ArrayBuffer>): void => this.#take(chunk)
    const socket = served.secure ? accepted.on('data', take) : readingTogether(accepted, take)
    this.socket = socket
    this.address = address
    this.#served = served
    this.#until = served.seconds + longest.head
    socket.on('end', () => this.#end())
    socket.on('drain', () => this.#response?.drained())
    // 'close' follows.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#close())
  }

  /** Once a second. */
  look(): void {
    const waiting = this.#waiting
    if (waiting === 'answer' || this.#served.seconds <= this.#until) return
    if (waiting === 'head' || waiting === 'body') this.#refuse(408)
    // A client may need long for its answer.
    else if (waiting !== 'halfClosed' && this.socket.writableLength > 0) this.#until = this.#served.seconds + longest[waiting]
    else this.socket.destroy()
  }

  /** No further request is waited for. */
  stop(): void {
    if (this.#response === undefined && this.#parser === undefined) this.#finish()
  }

  /** The answer is complete. */
  ended(): void {
    if (this.#busy || !this.#isDone) return
    if (this.#ahead.length === 0) this.#next()
    // Later, when the handler that gave the answer is done with it.
    else this.flow()
  }

  /** Later than the head was handed over: what came meanwhile was held up. */
  wanted(): void {
    if (!this.#busy) this.flow()
  }

  /** What was held up may go on. */
  flow(): void {
    setImmediate(() => {
      this.#response?.handOver()
      this.#go()
    })
  }

  #wait(waiting: 'head' | 'body' | 'idle' | 'answer'): void {
    // What a client that sends no more may take is settled.
    if (this.#halfClosed) return
    this.#waiting = waiting
    if (waiting !== 'answer') this.#until = this.#served.seconds + longest[waiting]
  }

  #take(chunk: Buffer<ArrayBuffer>): void {
    if (this.#over) {
      this.#ignored += chunk.length
      if (this.#ignored > mostIgnored) this.socket.destroy()
      return
    }
    this.#ahead = this.#ahead.length === 0 ? chunk : Buffer.concat([this.#ahead, chunk])
    this.#go()
    // The memory of the chunk is gone afterwards.
    if (this.#ahead.length > 0 && this.#ahead.buffer === chunk.buffer) this.#ahead = Buffer.from(this.#ahead)
  }

  /** Parses what is there, as far as it may be. */
  #go(): void {
    if (this.#busy) return
    this.#busy = true
    while (this.#ahead.length > 0 && this.#reads) {
      const used = this.#parse(this.#ahead.length > mostAtOnce ? this.#ahead.subarray(0, mostAtOnce) : this.#ahead)
      this.#ahead = used < this.#ahead.length ? this.#ahead.subarray(used) : nothing
    }
    this.#busy = false
    if (this.#over || this.socket.destroyed) return
    if (this.#isDone) this.#next()
    else if (this.#halfClosed && this.#parser !== undefined && this.#ahead.length === 0) this.#refuse(400)
    if (this.#paused === this.#ahead.length > mostAhead) return
    this.#paused = !this.#paused
    if (this.#paused) this.socket.pause()
    else this.socket.resume()
  }

  /** The request has been answered and read to its end. */
  get #isDone(): boolean {
    const response = this.#response
    return response?.ended === true && (this.#received || response.closes)
  }

  get #reads(): boolean {
    return !this.#received && !this.#isDone && !this.#over && !this.socket.destroyed && this.#response?.reads !== false
  }

  /** Reads on to the end of the request at most; how much of it was used. */
  #parse(chunk: Buffer<ArrayBuffer>): number {
    if (this.#parser === undefined) {
      this.#parser = RequestParser.take(this.#served.mostHeadBytes)
      if (this.#waiting === 'idle' || this.#waiting === 'answer') this.#wait('head')
    }
    const parser = this.#parser
    const used = parser.execute(chunk)
    const { head, pieces, complete, refused } = parser
    if (refused !== undefined) {
      this.#refuse(refused)
      return used
    }
    this.#received = complete
    if (complete) {
      this.#parser = undefined
      parser.giveBack()
      this.#wait('answer')
    } else if (head !== undefined && this.#waiting === 'head') this.#wait('body')
    if (head !== undefined && this.#response === undefined) this.#begin(head)
    this.#response?.received(pieces, complete)
    return used
  }

  #begin(head: Head): void {
    const { method, chunks, headers } = head
    if (method === 'CONNECT') return this.#refuse(405)
    const expected = chunks ? headers.get('expect') : undefined
    if (expected !== undefined && expected.toLowerCase() !== '100-continue') return this.#refuse(417)
    const goesOn = !this.#served.stopping && ++this.#inRow < mostInRow
    // What follows the wish for another protocol is not read as requests.
    const keepAlive = head.keepAlive && goesOn && !headers.has('upgrade')
    this.#response = new Response(this, { headOnly: method === 'HEAD', chunks, keepAlive })
    if (expected !== undefined) this.socket.write('HTTP/1.1 100 Continue\r\n\r\n')
    this.#served.accept(this.#response, requestOf(head))
  }

  /** A request and its answer have ended. */
  #next(): void {
    const keepAlive = this.#response?.keepAlive === true && !this.#served.stopping
    this.#response = undefined
    this.#received = false
    if (!keepAlive) this.#finish()
    else if (this.#ahead.length > 0) this.flow()
    else if (this.#halfClosed) this.#finish()
    else {
      this.#inRow = 0
      this.#wait('idle')
    }
  }

  #refuse(status: RefusalStatus): void {
    const response = this.#response
    // In the middle of an answer nothing else can be said.
    if (response?.begun === true && !response.ended) {
      this.socket.destroy()
      return
    }
    if (response?.begun !== true) this.socket.write(refusal(status))
    response?.aborted()
    this.#finish()
  }

  /** Nothing more is answered. */
  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#release()
    this.#waiting = 'lingering'
    this.#until = this.#served.seconds + longest.lingering
    this.socket.end()
    this.socket.resume()
  }

  /** The client sends no more. */
  #end(): void {
    this.#halfClosed = true
    if (this.#over) return
    this.#waiting = 'halfClosed'
    this.#until = this.#served.seconds + longest.halfClosed
    // Nobody would listen to a stream for ever.
    if (this.#response?.endless === true) this.socket.destroy()
    else if (this.#response === undefined && this.#parser === undefined && this.#ahead.length === 0) this.#finish()
    else this.#go()
  }

  #close(): void {
    this.#over = true
    this.#release()
    const response = this.#response
    this.#response = undefined
    if (response?.ended === false) response.aborted()
  }

  #release(): void {
    this.#ahead = nothing
    this.#parser?.giveBack()
    this.#parser = undefined
  }
}

/** Of a target in absolute form the authority stands for the header Host (RFC 9112 section 3.2.2). */
function requestOf({ method, target, headers }: Head): WireRequest {
  const [start = '', authority] = target.startsWith('/') ? [] : (/^https?:\/\/([^/?]*)/i.exec(target) ?? [])
  if (authority !== undefined) headers.set('host', authority)
  const local = start === '' ? target : target.slice(start.length)
  const mark = local.indexOf('?')
  if (mark === -1) return { method, path: local || '/', query: '', headers }
  return { method, path: local.slice(0, mark) || '/', query: local.slice(mark + 1), headers }
}
