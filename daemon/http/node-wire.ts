/** A request and its answer on node:http, as wire.ts wants them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBytes } from './address.ts'
import type { WireRequest, WireResponse } from './wire.ts'

export class NodeRequest implements WireRequest {
  readonly #request: IncomingMessage
  readonly #path: string
  readonly #query: string | undefined

  constructor(request: IncomingMessage) {
    this.#request = request
    const url = request.url ?? '/'
    const mark = url.indexOf('?')
    this.#path = mark === -1 ? url : url.slice(0, mark)
    this.#query = mark === -1 ? undefined : url.slice(mark + 1)
  }

  getUrl(): string {
    return this.#path
  }

  getQuery(): string | undefined {
    return this.#query
  }

  getCaseSensitiveMethod(): string {
    return this.#request.method ?? ''
  }

  /** Repeated headers come one by one, which Node's own list of them does not give. */
  forEach(visit: (name: string, value: string) => void): void {
    const { rawHeaders } = this.#request
    for (let at = 0; at < rawHeaders.length; at += 2) visit(rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!)
  }
}

const nothing = new ArrayBuffer(0)

/** Who is at the other end of a connection, which may ask thousands of times. */
const addresses = new WeakMap<Socket, ArrayBuffer>()

export class NodeResponse implements WireResponse {
  readonly socket: Socket
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #status = '200 OK'
  /** Names and values in turns: one list costs node:http a fraction of as many calls. */
  readonly #headers: string[] = []
  #begun = false
  #written = 0

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request
    this.#response = response
    this.socket = request.socket
  }

  writeStatus(status: string): this {
    this.#status = status
    return this
  }

  writeHeader(name: string, value: string): this {
    this.#headers.push(name, value)
    return this
  }

  /** The head, once. `length`: of the body, where all of it is known; else it goes in chunks. */
  #begin(length?: number): void {
    if (this.#begun) return
    this.#begun = true
    if (length !== undefined) this.#headers.push('Content-Length', String(length))
    this.#response.writeHead(Number(this.#status.slice(0, 3)), this.#status.slice(4), this.#headers)
  }

  /** Of an empty chunk only the head is sent. */
  write(chunk: string): boolean {
    this.#begin()
    if (chunk !== '') return this.#response.write(chunk)
    this.#response.flushHeaders()
    return true
  }

  end(body?: string | Uint8Array, closeConnection = false): this {
    const response = this.#response
    if (closeConnection) {
      response.shouldKeepAlive = false
      response.once('finish', () => this.socket.destroySoon())
    }
    this.#begin(Buffer.byteLength(body ?? ''))
    if (closeConnection || this.#request.complete) {
      response.end(body)
      return this
    }
    // To close with unread bytes would destroy the answer on its way: the rest of the body is read, and the answer ends after it.
    if (body === undefined) response.flushHeaders()
    else response.write(body)
    this.#request.once('end', () => response.end())
    this.#request.resume()
    return this
  }

  endWithoutBody(): this {
    this.#begin()
    this.#response.end()
    return this
  }

  /** All is taken: what the socket does not take yet is kept, so that the caller may use its memory again. */
  tryEnd(chunk: ArrayBufferView, totalSize: number): [ok: boolean, done: boolean] {
    const response = this.#response
    this.#begin(totalSize)
    this.#written += chunk.byteLength
    const taken = response.write(Buffer.from(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
    if (this.#written < totalSize) return [taken, false]
    response.end()
    return [true, true]
  }

  getWriteOffset(): number {
    return this.#written
  }

  onWritable(handler: (offset: number) => boolean): this {
    this.#response.on('drain', () => handler(this.#written))
    return this
  }

  onAborted(handler: () => void): this {
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) handler()
    })
    return this
  }

  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    this.#request.on('data', ({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>) => {
      handler(buffer.slice(byteOffset, byteOffset + byteLength), false)
    })
    this.#request.once('end', () => handler(nothing, true))
    return this
  }

  pause(): void {
    this.#request.pause()
  }

  resume(): void {
    this.#request.resume()
  }

  cork(work: () => void): this {
    this.socket.cork()
    try {
      work()
    } finally {
      this.socket.uncork()
    }
    return this
  }

  close(): this {
    this.socket.destroy()
    return this
  }

  getRemoteAddress(): ArrayBuffer {
    const { socket } = this
    let address = addresses.get(socket)
    // Of one that has gone there is none any more.
    if (address === undefined) addresses.set(socket, (address = addressBytes(socket.remoteAddress ?? '')))
    return address
  }
}
