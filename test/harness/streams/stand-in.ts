/**
 * The box's side of a stream, as published and nothing more, for trying servers without a box: sends a frame every 20 ms, plays what comes back
 * by the same clock, echoes marks when the audio before them was played. What a telephone would hear is kept byte by byte.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { asObject, frameBytes, frameMs, mediaFrame, quiet, type Frame } from './frames.ts'
import { Waiting } from '../waiting.ts'

export interface StandInOptions {
  /** Mu-law that the caller says, silence after it. */
  readonly says?: Uint8Array
  readonly parameters?: Readonly<Record<string, string>>
  /** Of the upgrade. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whose certificates it takes, in addition to those of the system. */
  readonly ca?: Buffer
  /** So many times as fast as a telephone. */
  readonly speed?: number
}

/** Longer names are ignored. */
const longestMark = 256

type Queued = { readonly audio: Buffer } | { readonly mark: string }

const id = (prefix: string): string => prefix + randomBytes(16).toString('hex')

export class StandIn {
  readonly accountSid = id('AC')
  readonly callSid = id('CA')
  readonly streamSid = id('MZ')
  /** Everything that was played, mu-law, silence where nothing was there to be played. */
  readonly #heard: Buffer[] = []
  /** What the server sent, as it came. */
  readonly received: Frame[] = []
  /** Played milliseconds at which each mark was sent back. */
  readonly marks: { readonly name: string; readonly playedMs: number }[] = []
  closed: { readonly code: number } | undefined
  readonly #socket: WebSocket
  readonly #options: StandInOptions
  #said: Uint8Array
  readonly #queue: Queued[] = []
  #sequence = 0
  #chunk = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #waiting = new Waiting()
  #began = 0

  private constructor(socket: WebSocket, options: StandInOptions) {
    this.#socket = socket
    this.#options = options
    this.#said = options.says ?? new Uint8Array(0)
    socket.on('message', (data) => this.#take(String(data as Buffer)))
    socket.on('error', () => undefined)
    socket.once('close', (code) => {
      this.closed = { code }
      clearTimeout(this.#timer)
      // What is queued is still played when the server ended it well.
      if (code === 1000 || code === 1001) while (this.#queue.length > 0) this.#play()
      this.#waiting.wake()
    })
  }

  /** Connects and begins. Throws when the server does not take the upgrade. */
  static async call(url: string, options: StandInOptions = {}): Promise<StandIn> {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      headers: options.headers ?? {},
      ...(options.ca ? { ca: options.ca } : {}),
    })
    const standIn = new StandIn(socket, options)
    await Promise.race([
      once(socket, 'open'),
      once(socket, 'close').then(() => Promise.reject(new Error(`${url} did not take the upgrade`))),
    ])
    standIn.#begin()
    return standIn
  }

  get heard(): Buffer {
    return Buffer.concat(this.#heard)
  }

  get playedMs(): number {
    return this.#chunk * frameMs
  }

  #send(frame: Frame | string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  #numbered(): string {
    this.#sequence += 1
    return String(this.#sequence)
  }

  #begin(): void {
    const { streamSid, accountSid, callSid } = this
    this.#send({ event: 'connected', protocol: 'Call', version: '1.0.0' })
    const start = {
      accountSid,
      streamSid,
      callSid,
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      customParameters: this.#options.parameters ?? {},
    }
    this.#send({ event: 'start', sequenceNumber: this.#numbered(), start, streamSid })
    this.#began = performance.now()
    this.#turn()
  }

  #turn(): void {
    const step = frameMs / (this.#options.speed ?? 1)
    while (this.closed === undefined && this.#began + this.#chunk * step <= performance.now()) this.#tick()
    if (this.closed === undefined)
      this.#timer = setTimeout(() => this.#turn(), Math.max(0, this.#began + this.#chunk * step - performance.now()))
  }

  #tick(): void {
    const audio = Buffer.alloc(frameBytes, quiet)
    audio.set(this.#said.subarray(0, frameBytes))
    this.#said = this.#said.subarray(frameBytes)
    this.#send(mediaFrame(this.streamSid, Number(this.#numbered()), this.#chunk, audio))
    this.#chunk += 1
    this.#play()
    this.#waiting.wake()
  }

  /** One frame out of the queue; a mark goes back when all before it has been played. */
  #play(): void {
    const frame = Buffer.alloc(frameBytes, quiet)
    let filled = 0
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      if ('mark' in head) {
        this.#echo(head.mark)
        this.#queue.shift()
        continue
      }
      if (filled === frameBytes) break
      const piece = head.audio.subarray(0, frameBytes - filled)
      frame.set(piece, filled)
      filled += piece.length
      if (piece.length === head.audio.length) this.#queue.shift()
      else this.#queue[0] = { audio: head.audio.subarray(piece.length) }
    }
    this.#heard.push(frame)
  }

  #echo(name: string): void {
    this.marks.push({ name, playedMs: this.playedMs })
    this.#send({ event: 'mark', sequenceNumber: this.#numbered(), streamSid: this.streamSid, mark: { name } })
  }

  #take(text: string): void {
    let frame: Frame | undefined
    try {
      frame = asObject(JSON.parse(text))
    } catch {
      return
    }
    if (frame === undefined) return
    this.received.push(frame)
    const payload = asObject(frame['media'])?.['payload']
    const name = asObject(frame['mark'])?.['name']
    if (frame['event'] === 'media' && typeof payload === 'string') this.#queue.push({ audio: Buffer.from(payload, 'base64') })
    if (frame['event'] === 'mark' && typeof name === 'string' && name.length <= longestMark) {
      if (this.#queue.length === 0) this.#echo(name)
      else this.#queue.push({ mark: name })
    }
    if (frame['event'] === 'clear') for (const one of this.#queue.splice(0)) if ('mark' in one) this.#echo(one.mark)
    this.#waiting.wake()
  }

  /** The caller says this from now on, in place of what was left to be said. */
  say(audio: Uint8Array): void {
    this.#said = audio
  }

  press(digit: string): void {
    const dtmf = { track: 'inbound_track', digit }
    this.#send({ event: 'dtmf', streamSid: this.streamSid, sequenceNumber: this.#numbered(), dtmf })
  }

  /** The caller hangs up. */
  hangUp(): void {
    clearTimeout(this.#timer)
    const { streamSid, accountSid, callSid } = this
    this.#send({ event: 'stop', sequenceNumber: this.#numbered(), stop: { accountSid, callSid }, streamSid })
    this.#socket.close(1000)
  }

  async until(what: string, when: () => boolean, ms = 20_000): Promise<void> {
    await this.#waiting.until(when, ms, (within) => `stand-in: ${what}: ${within}, ${this.playedMs} ms played`)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#socket.terminate()
  }
}
