/**
 * The application of the end-to-end tests: a real HTTP server on a free port. It checks every signature, timestamp and header with its own
 * arithmetic, keeps every event in the order of arrival, and answers from the script of the test, well or as badly as the script says.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { secret as voiceSecret } from './daemon.ts'
import { misfitsOf } from './events-fit.ts'
import { Waiting } from './waiting.ts'

export interface Received {
  readonly path: string
  readonly event: any
  readonly body: string
  readonly headers: IncomingMessage['headers']
  readonly attempt: number
  /** Milliseconds of `performance.now()` when the whole request was there. */
  readonly at: number
  /** The same as wall clock. */
  readonly date: number
  /** True once the sender closed the connection before our answer was complete. */
  aborted: boolean
}

/** What to answer. A plain array is a control document with status 200. */
export type Answer =
  | readonly unknown[]
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer; readonly delayMs?: number }
  | 'reset'
  | 'hang'
  | 'half'

export type Script = (event: any, received: Received) => Answer | Promise<Answer>

/** Headers and document of a gzip answer. */
export function gzipped(document: readonly unknown[]): Answer {
  return { headers: { 'content-encoding': 'gzip' }, body: gzipSync(JSON.stringify(document)) }
}

/** As `Application.disorder`, of the events of one call in order of arrival, each eventId once. */
export function disorderOf(events: readonly any[]): string[] {
  const faults: string[] = []
  const sequences = events.map((e) => e.sequence as number).toSorted((a, b) => a - b)
  sequences.forEach((s, i) => s !== i + 1 && faults.push(`sequence ${s} where ${i + 1} was due`))
  const ended = events.filter((e) => e.event === 'call.ended')
  if (ended.length > 1) faults.push(`${ended.length} call.ended`)
  // A transcript may be late, whatever has become of the call.
  const last = events.findLast((e) => e.event !== 'record.transcribed')
  if (ended.length === 1 && last?.event !== 'call.ended') faults.push(`${last?.event} after call.ended`)
  return faults
}

/** Such as `until` rejected with: what was waited for, and what came instead. */

const besides: ReadonlySet<string> = new Set(['gather.partial', 'record.transcribed', 'stream.started', 'stream.stopped', 'stream.error'])

export class Application {
  readonly url: string
  readonly received: Received[] = []
  /** Every broken promise of the sender, in words; a test ends with `faults` empty. */
  readonly faults: string[] = []
  /** Answers the control events. Status events (path /status) are acknowledged without it. */
  script: Script = () => []
  /** Answers the status events. */
  status: Script = () => ({ status: 204 })
  /** Secret for each first part of a path; the default is that of the voice endpoint. */
  readonly secrets: Record<string, string> = {}
  /** Audio served by path, such as `/chime.wav`: on this machine `play` reaches the address of an application only. */
  readonly files = new Map<string, Buffer>()
  /** Accept no connection: it is reset at once. */
  refuse = false
  /** Answers requests for a WebSocket: on this machine the box reaches those at the address of an application only. */
  upgrade: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | null = null
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #busy = new Map<string, number>()
  readonly #waiting = new Waiting()

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `http://127.0.0.1:${port}`
    server.on('connection', (socket) => {
      if (this.refuse) return socket.resetAndDestroy()
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('upgrade', (request, socket, head) => (this.upgrade === null ? socket.destroy() : this.upgrade(request, socket, head)))
    server.on('request', (request, response) => void this.#handle(request, response))
  }

  static async open(port = 0): Promise<Application> {
    const server = createServer({ keepAliveTimeout: 30000 })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
    const address = server.address()
    return new Application(server, typeof address === 'object' && address ? address.port : 0)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.files.get(request.url ?? '')
    if (file) return void response.writeHead(200, { 'content-type': 'audio/wav', etag: '"1"' }).end(file)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks)
    const path = (request.url ?? '').split('?')[0] ?? ''
    let event: any = {}
    try {
      event = JSON.parse(raw.toString())
    } catch {
      this.faults.push(`${path}: the body is not JSON: ${raw.toString().slice(0, 80)}`)
    }
    const received: Received = {
      path,
      event,
      body: raw.toString(),
      headers: request.headers,
      attempt: Number(request.headers['x-service-attempt']),
      at: performance.now(),
      date: Date.now(),
      aborted: false,
    }
    this.#check(request, raw, event, path)
    response.once('close', () => (received.aborted = !response.writableFinished))
    this.received.push(received)
    this.#waiting.wake()
    // Partial words and late transcripts wait for nobody.
    const control = path !== '/status' && !besides.has(event.event)
    const key = `${event.callId} ${control}`
    const busy = (this.#busy.get(key) ?? 0) + 1
    this.#busy.set(key, busy)
    if (busy > 1)
      this.faults.push(`${event.callId}: ${event.event} came while another ${control ? 'control' : 'status'} event was in flight`)
    const done = () => this.#busy.set(key, (this.#busy.get(key) ?? 1) - 1)
    response.once('close', done)
    try {
      await this.#answer(await (control ? this.script(event, received) : this.status(event, received)), response)
    } catch (e) {
      this.faults.push(`script: ${String(e)}`)
      response.destroy()
    }
  }

  async #answer(answer: Answer, response: ServerResponse): Promise<void> {
    if (answer === 'hang') return
    if (answer === 'reset') return void response.socket?.resetAndDestroy()
    if (answer === 'half') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' }).write('[{"say":')
      return
    }
    if (Array.isArray(answer)) return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    const reply = answer as Exclude<Answer, readonly unknown[] | string>
    if (reply.delayMs) await new Promise((next) => setTimeout(next, reply.delayMs))
    const type: Record<string, string> = reply.body === undefined ? {} : { 'content-type': 'application/json' }
    response.writeHead(reply.status ?? 200, { ...type, ...reply.headers }).end(reply.body)
  }

  #check(request: IncomingMessage, raw: Buffer, event: any, path: string): void {
    const fault = (text: string) => this.faults.push(`${path} ${event.event}: ${text}`)
    const header = (name: string) => String(request.headers[name] ?? '')
    const secret = this.secrets[path.split('/')[1] ?? ''] ?? voiceSecret
    const timestamp = header('x-service-timestamp')
    const expected = Buffer.from('sha256=' + createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex'))
    const given = Buffer.from(header('x-service-signature'))
    const signed = given.length === expected.length && timingSafeEqual(given, expected)
    if (!signed) fault(`signature is ${given.toString() || 'missing'}`)
    if (!/^\d{10}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 5) fault(`timestamp is ${timestamp || 'missing'}`)
    if (!/^application\/json(;|$)/.test(header('content-type'))) fault(`content type is ${header('content-type')}`)
    if (!/^[1-9]\d*$/.test(header('x-service-attempt'))) fault(`X-Service-Attempt is ${header('x-service-attempt') || 'missing'}`)
    if (header('x-service-event-id') !== event.eventId)
      fault(`X-Service-Event-Id is ${header('x-service-event-id') || 'missing'}, eventId ${event.eventId}`)
    if (!header('user-agent').startsWith('pbx/')) fault(`User-Agent is ${header('user-agent')}`)
    if (request.method !== 'POST') fault(`method is ${request.method}`)
    if (!/^CA[0-9a-f]{32}$/.test(event.callId)) fault(`callId is ${event.callId}`)
    for (const name of ['from', 'to', 'callerName', 'trunkId', 'state', 'eventId', 'timestamp', 'direction'])
      if (typeof event[name] !== 'string') fault(`${name} is ${JSON.stringify(event[name])}`)
    const misfits = misfitsOf(event)
    for (const misfit of misfits) fault(misfit)
    // Ends the test that had the box send it, whether or not it looks at `faults`. What a stranger sends here, as attacks do, is a fault alone.
    if (signed && misfits.length > 0) throw new Error(`an event that does not fit its schema: ${misfits.join('; ')}`)
  }

  /** Events in order of arrival, each eventId once. */
  events(callId?: string): any[] {
    const seen = new Set<string>()
    return this.received
      .map((r) => r.event)
      .filter((e) => (callId === undefined || e.callId === callId) && !seen.has(e.eventId) && seen.add(e.eventId))
  }

  names(callId?: string): string[] {
    return this.events(callId).map((e) => e.event)
  }

  /** Waits for the n-th (1 = first) event of a kind that meets `which`. */
  async until(kind: string, which: (event: any) => boolean = () => true, ms = 15000, nth = 1): Promise<Received> {
    const seen = () => this.received.map((r) => r.event.event).join(', ') || 'nothing'
    return this.#waiting.until(
      () => this.received.filter((r) => r.event.event === kind && which(r.event))[nth - 1],
      ms,
      (within) => `application: no ${kind}: ${within}; seen: ${seen()}`,
    )
  }

  /** What is wrong with the order of one call's events: gaps and repeats of `sequence`, anything after `call.ended`. */
  disorder(callId: string): string[] {
    return disorderOf(this.events(callId))
  }

  /** Forgets what was received, for the next test. */
  reset(): void {
    this.received.length = 0
    this.faults.length = 0
    this.refuse = false
    this.script = () => []
    this.status = () => ({ status: 204 })
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((done) => this.#server.close(done))
  }
}
