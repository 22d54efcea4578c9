/**
 * A WebSocket server for streams, as a third party would write one: takes the upgrade, holds every frame against the published format, keeps
 * what came with its times, and behaves as the test says, well or badly (manners.ts).
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocket, WebSocketServer, type RawData } from 'ws'
import { StreamChecker, type CheckerOptions } from './checker.ts'
import { asObject, toBox, type Frame, type Track } from './frames.ts'
import { Waiting } from '../waiting.ts'

export interface Arrived {
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  readonly frame: Frame
}

export interface Opened {
  /** Path and query as they were asked for. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

export type Manner = (session: StreamSession) => void

export interface StreamServerOptions extends CheckerOptions {
  /** Judges the signature of the upgrade; not judged without it. */
  readonly secret?: string
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer }
  /** Answers the upgrade with this status instead of 101, `reset` breaks the connection, `hang` never answers. */
  readonly refuse?: (opened: Opened, nth: number) => number | 'reset' | 'hang' | undefined
  readonly host?: string
  readonly port?: number
  /** Whether pings are answered; true. */
  readonly pongs?: boolean
}

/** One stream, from its upgrade to its end. */
export class StreamSession {
  readonly opened: Opened
  readonly socket: WebSocket
  readonly checker: StreamChecker
  readonly arrived: Arrived[] = []
  /** The close: code, reason, time; undefined while it is open. */
  closed: { readonly code: number; readonly reason: string; readonly at: number } | undefined
  /** The connection below the WebSocket, for manners that break it. */
  readonly wire: Socket
  #byUs = false
  #crashed = false
  readonly #unwatched: (data: string | Buffer, options: { binary: boolean }) => void
  readonly #frameListeners: ((arrived: Arrived) => void)[] = []
  readonly #closeListeners: (() => void)[] = []
  readonly #waiting = new Waiting()

  constructor(opened: Opened, socket: WebSocket, wire: Socket, options: CheckerOptions) {
    this.opened = opened
    this.socket = socket
    this.wire = wire
    this.checker = new StreamChecker(options)
    this.#unwatched = socket.send.bind(socket) as (data: string | Buffer, options: { binary: boolean }) => void
    // Also what a foreign program sends that was given the socket: marks are remembered.
    socket.send = (data: unknown, ...rest: unknown[]) => {
      if (typeof data === 'string') this.checker.fromServer(data)
      Reflect.apply(this.#unwatched, undefined, [data, ...rest])
    }
    socket.on('message', (data: RawData, binary: boolean) => this.#take(data, binary))
    socket.on('error', () => undefined)
    socket.once('close', (code, reason) => {
      this.closed = { code, reason: reason.toString('utf8'), at: performance.now() }
      this.checker.closed(code, this.#byUs)
      for (const listener of this.#closeListeners) listener()
      this.#waiting.wake()
    })
  }

  get streamSid(): string {
    return this.checker.streamSid
  }

  #take(data: RawData, binary: boolean): void {
    // The dead hear nothing, also of what was read with the last frame.
    if (this.#crashed) return
    const at = performance.now()
    const frame = this.checker.fromBox(data as Buffer, binary)
    if (frame === undefined) return this.#waiting.wake()
    const arrived = { at, frame }
    this.arrived.push(arrived)
    for (const listener of this.#frameListeners) listener(arrived)
    this.#waiting.wake()
  }

  onFrame(listener: (arrived: Arrived) => void): void {
    this.#frameListeners.push(listener)
  }

  onClose(listener: () => void): void {
    this.#closeListeners.push(listener)
  }

  frames(event: string): Arrived[] {
    return this.arrived.filter(({ frame }) => frame['event'] === event)
  }

  /** What was said on a track, mu-law. */
  audio(track: Track = 'inbound'): Buffer {
    const pieces = this.frames('media').map(({ frame }) => asObject(frame['media']) ?? {})
    return Buffer.concat(pieces.filter((one) => one['track'] === track).map((one) => Buffer.from(String(one['payload']), 'base64')))
  }

  /** Names of the marks that came back, in their order. */
  marks(): string[] {
    return this.frames('mark').map(({ frame }) => String(asObject(frame['mark'])?.['name']))
  }

  #send(text: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text)
  }

  media(audio: Uint8Array): void {
    this.#send(toBox.media(this.streamSid, audio))
  }

  mark(name: string): void {
    this.#send(toBox.mark(this.streamSid, name))
  }

  clear(): void {
    this.#send(toBox.clear(this.streamSid))
  }

  /** Anything at all; a `string` goes as text. What it asks for is not remembered by the checker. */
  raw(data: string | Buffer): void {
    if (this.socket.readyState === WebSocket.OPEN) this.#unwatched(data, { binary: typeof data !== 'string' })
  }

  close(code = 1000, reason = ''): void {
    this.#byUs = true
    this.socket.close(code, reason)
  }

  /** The end that nobody wanted: `reset` by RST, `end` by FIN and no close frame. */
  crash(how: 'reset' | 'end' = 'reset'): void {
    this.#byUs = true
    this.#crashed = true
    if (how === 'reset') this.wire.resetAndDestroy()
    // What the box still says is read and dropped: unread it would turn the FIN into a RST.
    else this.wire.end()
  }

  /** Waits for what makes `when` true; rejects with `what` after `ms`. */
  async until(what: string, when: () => boolean, ms = 20_000): Promise<void> {
    await this.#waiting.until(
      when,
      ms,
      (within) => `stream: ${what}: ${within}; ${this.arrived.length} frames, ${JSON.stringify(this.closed)}`,
    )
  }

  /** Waits for the n-th (1 = first) frame of a kind. */
  async frame(event: string, nth = 1, ms = 20_000): Promise<Arrived> {
    await this.until(`${event} ${nth}`, () => this.frames(event).length >= nth, ms)
    return this.frames(event)[nth - 1]!
  }

  async over(ms = 20_000): Promise<NonNullable<StreamSession['closed']>> {
    await this.until('the close', () => this.closed !== undefined, ms)
    return this.closed!
  }
}

export class StreamServer {
  readonly url: string
  readonly sessions: StreamSession[] = []
  /** What was wrong with upgrades. */
  readonly faults: string[] = []
  /** Every upgrade that was asked for, also those that were refused. */
  readonly upgrades: Opened[] = []
  readonly #server: Server
  readonly #sockets: WebSocketServer
  readonly #wires = new Set<Socket>()
  readonly #waiting = new Waiting()
  manner: Manner
  options: StreamServerOptions

  private constructor(server: Server, url: string, manner: Manner, options: StreamServerOptions) {
    this.#server = server
    this.url = url
    this.manner = manner
    this.options = options
    this.#sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 8 << 20, autoPong: options.pongs ?? true })
    server.on('connection', (wire: Socket) => {
      this.#wires.add(wire)
      wire.once('close', () => this.#wires.delete(wire))
    })
    server.on('upgrade', (request, wire, head) => this.#upgrade(request, wire as Socket, head))
  }

  static async open(manner: Manner, options: StreamServerOptions = {}): Promise<StreamServer> {
    const server = options.tls ? createTlsServer({ cert: options.tls.cert, key: options.tls.key }) : createServer()
    const host = options.host ?? '127.0.0.1'
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port ?? 0, host, resolve))
    const { port } = server.address() as AddressInfo
    return new StreamServer(server, `${options.tls ? 'wss' : 'ws'}://${host}:${port}`, manner, options)
  }

  #upgrade(request: IncomingMessage, wire: Socket, head: Buffer): void {
    const opened = { url: request.url ?? '', headers: request.headers }
    this.upgrades.push(opened)
    this.#judgeUpgrade(opened)
    wire.on('error', () => undefined)
    const refusal = this.options.refuse?.(opened, this.upgrades.length)
    if (refusal === 'hang') return
    if (refusal === 'reset') return void wire.resetAndDestroy()
    if (refusal !== undefined) return void wire.end(`HTTP/1.1 ${refusal} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    this.#sockets.handleUpgrade(request, wire, head, (socket) => {
      const session = new StreamSession(opened, socket, wire, this.options)
      this.sessions.push(session)
      this.manner(session)
      this.#waiting.wake()
    })
  }

  #judgeUpgrade({ headers }: Opened): void {
    if (headers['sec-websocket-extensions'] !== undefined)
      this.faults.push(`extensions are offered: ${headers['sec-websocket-extensions']}`)
    const { secret } = this.options
    if (secret === undefined) return
    const timestamp = String(headers['x-service-timestamp'] ?? '')
    const wanted = `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).digest('hex')}`
    if (headers['x-service-signature'] !== wanted) this.faults.push(`signature is ${String(headers['x-service-signature'])}`)
    if (!/^\d{10}$/.test(timestamp)) this.faults.push(`timestamp is ${timestamp}`)
    if (!/^CA[0-9a-f]{32}$/.test(String(headers['x-service-call-id'])))
      this.faults.push(`call id is ${String(headers['x-service-call-id'])}`)
  }

  /** The n-th (1 = first) stream; waits for it. */
  async session(nth = 1, ms = 20_000): Promise<StreamSession> {
    return this.#waiting.until(
      () => this.sessions[nth - 1],
      ms,
      (within) => `stream server: ${this.sessions.length} of ${nth} streams: ${within}`,
    )
  }

  /** What was wrong with any of the streams so far. */
  allFaults(): string[] {
    return [...this.faults, ...this.sessions.flatMap(({ checker, streamSid }) => checker.faults.map((fault) => `${streamSid}: ${fault}`))]
  }

  async close(): Promise<void> {
    for (const { socket } of this.sessions) socket.terminate()
    for (const wire of this.#wires) wire.destroy()
    await new Promise((done) => this.#server.close(done))
  }
}
