/**
 * A server of media streams for the end-to-end tests, at the address of the application. It keeps every frame with its time, and what was
 * wrong with the order, the counters and the types of each.
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'
import type { Application } from './app.ts'
import { ulawToLinear } from './audio.ts'
import { secret } from './daemon.ts'
import { frameMisfitsOf } from './frames-fit.ts'
import { Waiting } from './waiting.ts'

export interface StreamFrame {
  readonly at: number
  readonly frame: any
}

export class StreamConnection {
  readonly socket: WebSocket
  readonly request: IncomingMessage
  readonly frames: StreamFrame[] = []
  readonly faults: string[] = []
  closeCode: number | null = null
  readonly #waiting = new Waiting()
  #sequence = 0
  readonly #chunks = new Map<string, number>()

  constructor(socket: WebSocket, request: IncomingMessage, each: (connection: StreamConnection, frame: any) => void) {
    this.socket = socket
    this.request = request
    this.#checkRequest()
    socket.on('message', (data, isBinary) => {
      const text = (data as Buffer).toString()
      if (isBinary) this.faults.push('a binary frame')
      const frame = JSON.parse(text)
      this.frames.push({ at: performance.now(), frame })
      this.#check(frame)
      each(this, frame)
      this.#woken()
    })
    socket.on('close', (code) => {
      this.closeCode = code
      this.#woken()
    })
    socket.on('error', () => undefined)
  }

  get streamSid(): string {
    return this.start?.streamSid ?? ''
  }

  get start(): any {
    return this.frames.find(({ frame }) => frame.event === 'start')?.frame
  }

  of(event: string): StreamFrame[] {
    return this.frames.filter(({ frame }) => frame.event === event)
  }

  /** What the caller was heard to say, or heard (`outbound`): samples at the rate of the stream. */
  heard(track = 'inbound'): Int16Array {
    const media = this.of('media').filter(({ frame }) => frame.media.track === track)
    const bytes = Buffer.concat(media.map(({ frame }) => Buffer.from(frame.media.payload, 'base64')))
    if (this.start.start.mediaFormat.encoding === 'audio/x-mulaw') return Int16Array.from(bytes, ulawToLinear)
    return Int16Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readInt16LE(2 * n))
  }

  say(audio: Uint8Array): void {
    this.send({ event: 'media', streamSid: this.streamSid, media: { payload: Buffer.from(audio).toString('base64') } })
  }

  mark(name: string): void {
    this.send({ event: 'mark', streamSid: this.streamSid, mark: { name } })
  }

  clear(): void {
    this.send({ event: 'clear', streamSid: this.streamSid })
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
  }

  async until(what: string, when: () => boolean, ms = 15_000): Promise<void> {
    await this.#waiting.until(when, ms, (within) => `stream: ${what}: ${within}`)
  }

  closed(ms = 15_000): Promise<void> {
    return this.until('closed', () => this.closeCode !== null, ms)
  }

  #woken(): void {
    this.#waiting.wake()
  }

  #checkRequest(): void {
    const header = (name: string): string => String(this.request.headers[name] ?? '')
    const timestamp = header('x-service-timestamp')
    const wanted = `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).digest('hex')}`
    if (header('x-service-signature') !== wanted) this.faults.push('the signature is wrong')
    if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 5) this.faults.push(`the timestamp is ${timestamp}`)
    if (!/^CA[0-9a-f]{32}$/.test(header('x-service-call-id'))) this.faults.push('no X-Service-Call-Id')
    if (header('sec-websocket-extensions') !== '') this.faults.push('extensions are offered')
  }

  #check(frame: any): void {
    const fault = (text: string): number => this.faults.push(`${JSON.stringify(frame).slice(0, 120)}: ${text}`)
    for (const misfit of frameMisfitsOf(frame)) fault(misfit)
    const index = this.frames.length
    if (index === 1) return void (frame.event === 'connected' && frame.protocol === 'Call' ? 0 : fault('connected comes first'))
    if (index === 2 && frame.event !== 'start') fault('start comes second')
    if (['speech', 'queue'].includes(frame.event)) return
    if (frame.sequenceNumber !== String(++this.#sequence)) fault(`sequenceNumber is not "${this.#sequence}"`)
    if (!/^MZ[0-9a-f]{32}$/.test(frame.streamSid)) fault('streamSid')
    if (frame.event !== 'media') return
    const { chunk, timestamp, payload, track } = frame.media
    if (typeof chunk !== 'string' || Number(chunk) <= (this.#chunks.get(track) ?? 0)) fault('chunk')
    this.#chunks.set(track, Number(chunk))
    if (timestamp !== String((Number(chunk) - 1) * 20)) fault('timestamp')
    if (!this.start.start.tracks.includes(track)) fault('track')
    if (Buffer.from(payload, 'base64').length !== (this.start.start.mediaFormat.sampleRate === 16_000 ? 640 : 160)) fault('payload')
  }
}

export class StreamServer {
  readonly url: string
  readonly connections: StreamConnection[] = []
  /** Called for every frame. */
  each: (connection: StreamConnection, frame: any) => void = () => undefined
  /** What to do instead of a handshake. */
  instead: 'refuse' | 'hang' | null = null
  requests = 0
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 4 << 20 })

  constructor(app: Application) {
    this.url = `${app.url.replace('http', 'ws')}/media?room=1`
    app.upgrade = (request, socket, head) => {
      this.requests++
      if (this.instead === 'hang') return
      if (this.instead === 'refuse') return void socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
      this.#server.handleUpgrade(request, socket, head, (opened) => {
        this.connections.push(new StreamConnection(opened, request, (connection, frame) => this.each(connection, frame)))
        this.#server.emit('opened')
      })
    }
  }

  /** The n-th connection (1 = first), once it has had `start`. */
  async next(nth = 1): Promise<StreamConnection> {
    while (this.connections.length < nth) await once(this.#server, 'opened')
    const connection = this.connections[nth - 1]!
    await connection.until('start', () => connection.start !== undefined)
    return connection
  }

  reset(): void {
    for (const { socket } of this.connections.splice(0)) socket.terminate()
    this.each = () => undefined
    this.instead = null
    this.requests = 0
  }
}
