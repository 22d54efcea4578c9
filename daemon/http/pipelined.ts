/**
 * Requests that come on a connection before those in front of them are answered (RFC 9112 section 9.3.2). Each is begun when the answer in
 * front of it is complete: so answers keep their order, a request sees what the one in front of it did, and one that will get no answer,
 * because the connection is closed first, has no effect.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** More are not kept waiting on one connection: the last of them is answered with `Connection: close`. */
const mostWaiting = 100
/** From so many on nothing more is read; while fewer wait, it is seen when the client leaves. */
const manyWaiting = 8
/** One piece of the network has no more requests than that: whoever goes on is cut off. */
const mostDropped = 5_000

/** A client that sends no more has most likely left: so long its answers are waited for. */
const halfOpenMs = 2_000

interface Line {
  /** What is being answered. */
  current: ServerResponse
  /** What was read last. */
  latest: { readonly request: IncomingMessage; readonly response: ServerResponse; begun: boolean }
  readonly waiting: (() => void)[]
  /** Nothing more is taken on this connection. */
  closed: boolean
  dropped: number
}

/** Whatever was read last is the last that is answered. */
function closeAfter(line: Line): void {
  line.latest.response.shouldKeepAlive = false
  line.closed = true
}

export class PipelinedRequests {
  readonly #lines = new WeakMap<Socket, Line>()

  /** Calls `begin` when it is the request's turn, or never. */
  take(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const { socket } = request
    const latest = { request, response, begun: false }
    const start = (): void => {
      latest.begun = true
      this.#lines.get(socket)!.current = response
      response.once('close', () => this.#next(socket))
      begin()
    }
    const line = this.#lines.get(socket)
    if (line === undefined) {
      const first: Line = { current: response, latest, waiting: [], closed: false, dropped: 0 }
      this.#lines.set(socket, first)
      if (request.headers.upgrade !== undefined) closeAfter(first)
      start()
      return
    }
    // What was read already comes here all the same.
    if (line.waiting.length >= manyWaiting) socket.pause()
    if (line.closed) {
      if (++line.dropped > mostDropped) socket.destroy()
      return
    }
    line.latest = latest
    line.waiting.push(start)
    // Of what follows a wish for another protocol, which is not granted, node:http reads nothing.
    if (line.waiting.length === mostWaiting || request.headers.upgrade !== undefined) closeAfter(line)
  }

  /** Writes `text`, a whole answer, to what could not be read as a request, after what is due before it, and closes the connection. */
  refuse(socket: Socket, text: string): void {
    const line = this.#lines.get(socket)
    if (line === undefined) {
      socket.end(text)
      return
    }
    if (line.closed) return
    line.closed = true
    const { request, response, begun } = line.latest
    if (request.complete) line.waiting.push(() => socket.end(text))
    else if (!begun) line.waiting.splice(-1, 1, () => socket.end(text))
    // The body of the request that is being answered: in the middle of an answer nothing else can be said.
    else if (response.headersSent) socket.destroy()
    else socket.write(text, () => socket.destroy())
  }

  /** The client sends no more: it may read on, but for a stream, to which nobody would listen for ever. */
  halfClosed(socket: Socket): void {
    const current = this.#lines.get(socket)?.current
    if (current?.headersSent === true && !current.writableEnded && current.chunkedEncoding) {
      socket.destroy()
      return
    }
    const timer = setTimeout(() => socket.destroy(), halfOpenMs)
    socket.once('close', () => clearTimeout(timer))
  }

  #next(socket: Socket): void {
    const line = this.#lines.get(socket)
    if (line === undefined) return
    if (!socket.writable) line.waiting.length = 0
    const next = line.waiting.shift()
    if (next === undefined) this.#lines.delete(socket)
    if (line.waiting.length < manyWaiting && !line.closed) socket.resume()
    next?.()
  }
}
