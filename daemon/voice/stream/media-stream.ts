/**
 * One open stream: a call's audio to a server, every 20 ms and without a gap, and what the server says to the caller. It ends by
 * either side, by its length, or by a server that is lost; what ended it is decided here.
 */
import type { WebSocket } from 'ws'
import type { Leg } from '../../../drivers/line.ts'
import type { Call, CallSignal } from '../../calls/call.ts'
import { fork, hear } from '../../calls/hearing.ts'
import { type Clock, type Timer, settledWithin } from '../../base/clock.ts'
import type { StreamReason } from '../../schema/states.ts'
import type { StreamTrack } from '../../schema/stream-frames.ts'
import type { StreamFormat } from './format.ts'
import * as messages from './messages.ts'
import { Outgoing } from './outgoing.ts'
import { Playout, type AudioBudget } from './playout.ts'

// How fast the server of a stream may speak. It may say ten minutes of audio at once; one that goes on faster than anybody could listen is
// read no faster than this, so that it costs its own stream the wait, and no call anything.

/** Ten minutes of audio at 8 kHz as text, and more. */
const mostAtOnceBytes = 8 << 20
/** Sixteen times as fast as audio at 16 kHz is heard. */
const bytesPerMs = 512
/** What reading a frame costs besides its bytes: many small ones are work as well. */
const frameBytes = 200

class Intake {
  readonly #socket: Pick<WebSocket, 'pause' | 'resume'>
  readonly #clock: Clock
  #left = mostAtOnceBytes
  #at: number
  #paused = false

  constructor(socket: Pick<WebSocket, 'pause' | 'resume'>, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#at = clock.elapsed()
  }

  /** A frame of so many bytes was read, of whatever kind. True: nothing more is read for a while. */
  took(bytes: number): boolean {
    const now = this.#clock.elapsed()
    this.#left = Math.min(mostAtOnceBytes, this.#left + (now - this.#at) * bytesPerMs) - bytes - frameBytes
    this.#at = now
    if (this.#left >= 0) return false
    if (!this.#paused) this.#pause()
    return true
  }

  #pause(): void {
    this.#paused = true
    this.#socket.pause()
    // What was in memory already is still read meanwhile, and counts.
    this.#clock.after(Math.ceil(-this.#left / bytesPerMs), () => {
      this.#paused = false
      this.#socket.resume()
    })
  }
}

export interface MediaStreamOptions {
  readonly socket: WebSocket
  readonly identity: messages.StreamIdentity
  readonly customParameters: Readonly<Record<string, string>>
  readonly call: Call
  readonly clock: Clock
  /** Whose audio is sent. */
  readonly tracks: readonly StreamTrack[]
  readonly format: StreamFormat
  /** What the server says is heard; otherwise it only listens. */
  readonly speaks: boolean
  readonly extensions: readonly ('vad' | 'queue')[]
  readonly drainOnClose: boolean
  /** null: as long as the call. */
  readonly maxMs: number | null
  readonly budget: AudioBudget
  readonly checkFrame: messages.FrameCheck
  /** Aborted when the stream is to end: the caller is gone, or something else comes next. */
  readonly signal: AbortSignal
  readonly replaced: AbortSignal
}

export interface StreamEnd {
  readonly reason: StreamReason
  readonly closeCode: number | null
  /** What went wrong, in words; '' for nothing. */
  readonly error: string
  readonly durationMs: number
  /** Frames of audio from the server, and to it. */
  readonly framesIn: number
  readonly framesOut: number
}

type Cause = Pick<StreamEnd, 'reason' | 'closeCode' | 'error'>

const frameMs = 20
const longestDrainMs = 30_000
const pingMs = 15_000
/** Nothing more comes of a connection so long after it was closed. */
const closeGraceMs = 2000
/** A gap in the line's own time that is filled with silence; a longer one is a fault that no frames would repair. */
const mostFilledFrames = 250
/** Of the extension `queue`: the server should pause, and may go on. */
const highMs = 30_000
const lowMs = 10_000
const cleanCloses: ReadonlySet<number> = new Set([1000, 1001, 1005])

export class MediaStream {
  readonly #options: MediaStreamOptions
  readonly #intake: Intake
  readonly #outgoing: Outgoing
  readonly #playout: Playout | null
  readonly #cause = Promise.withResolvers<Cause>()
  /** Of each track, frames of the line's time since the start. */
  readonly #tracks: ReadonlyMap<StreamTrack, { chunks: number; readonly encode: (samples: Int16Array) => Buffer }>
  /** The leg that sent the last frame, and its time when the stream began, or would have. */
  #told: Leg | null = null
  #firstMs = 0
  #framesIn = 0
  #ignored = 0
  #foreign = 0
  #missedPongs = 0
  #ping: Timer | null = null
  #full = false
  #high = false
  readonly #warned = new Set<string>()

  constructor(options: MediaStreamOptions) {
    const { socket, clock, call, budget, format, tracks } = options
    this.#options = options
    this.#tracks = new Map(tracks.map((track) => [track, { chunks: 0, encode: format.encoder() }]))
    this.#intake = new Intake(socket, clock)
    // As many seconds of it, however large its frames are.
    this.#outgoing = new Outgoing(socket, clock, { tracks: tracks.length, frameBytes: format.frameBytes })
    this.#playout = !options.speaks
      ? null
      : new Playout({
          play: (samples) => call.play({ kind: 'samples', samples, ...(format.sampleRate === 16_000 ? { rate: 16_000 } : {}) }),
          clear: () => call.clear(),
          passed: (name) => this.#outgoing.send(messages.mark(options.identity, name)),
          budget,
          format,
        })
  }

  /** Resolves when the stream has ended, and everything still queued was heard. */
  async run(): Promise<StreamEnd> {
    const { socket, call, clock, signal, maxMs, extensions, format } = this.#options
    const began = clock.elapsed()
    this.#attach()
    const wide = format.sampleRate === 16_000
    const release = [call.listen((event) => this.#heard(event))]
    if (this.#tracks.has('inbound') || this.#playout !== null) release.push(fork(call, wide ? 'heardWide' : 'heard'))
    if (this.#tracks.has('outbound')) release.push(fork(call, wide ? 'saidWide' : 'said'))
    if (extensions.includes('vad')) release.push(hear(call, 'voice'))
    const onAbort = (): void => this.#aborted()
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const limit = maxMs === null ? null : clock.after(maxMs, () => this.#end('max-length'))
    this.#armPing()
    socket.resume()
    const cause = await this.#cause.promise
    limit?.cancel()
    this.#ping?.cancel()
    this.#closeSocket(cause)
    const drained = await this.#drain(cause)
    signal.removeEventListener('abort', onAbort)
    for (const each of release) each()
    this.#playout?.close()
    this.#summary()
    const { mediaSent: framesOut } = this.#outgoing
    return { ...cause, ...drained, durationMs: clock.elapsed() - began, framesIn: this.#framesIn, framesOut }
  }

  #attach(): void {
    const { socket, identity, customParameters, tracks, format } = this.#options
    socket.removeAllListeners('error')
    socket.on('message', (data, isBinary) => this.#received(data as Buffer, isBinary))
    socket.on('ping', (data) => {
      this.#took(data)
      this.#outgoing.pong(data)
    })
    socket.on('pong', (data) => {
      this.#took(data)
      this.#missedPongs = 0
    })
    socket.on('error', (error) => this.#end('error', null, faultOf(error)))
    socket.on('close', (code) =>
      cleanCloses.has(code) ? this.#end('client-closed', code) : this.#end('error', code, `the server closed with ${code}`),
    )
    this.#outgoing.send(messages.connected)
    this.#outgoing.send(messages.start(identity, tracks, format, customParameters))
  }

  #end(reason: StreamReason, closeCode: number | null = null, error = ''): void {
    this.#cause.resolve({ reason, closeCode, error })
  }

  #aborted(): void {
    this.#end(this.#options.replaced.aborted ? 'replaced' : 'hangup')
  }

  /** The server learns of an end that it did not bring about. */
  #closeSocket({ reason, error }: Cause): void {
    const { socket, identity, clock } = this.#options
    // What still comes is heard by nobody.
    socket.removeAllListeners('message')
    // It is being closed for what the server sent, which is to learn of it (1009).
    if (socket.readyState === socket.CLOSING) return void clock.after(closeGraceMs, () => socket.terminate())
    if (socket.readyState !== socket.OPEN) return socket.terminate()
    if (reason !== 'error') this.#outgoing.send(messages.stop(identity))
    this.#outgoing.flush()
    socket.close(reason === 'error' ? 1013 : 1000, error.slice(0, 100))
    clock.after(closeGraceMs, () => socket.terminate())
  }

  /** What was said before the server closed is heard to its end, unless the caller leaves first. */
  async #drain({ reason }: Cause): Promise<Partial<Cause>> {
    const { call, clock, signal, replaced, drainOnClose } = this.#options
    if (reason !== 'client-closed' || !drainOnClose || this.#playout === null || signal.aborted) return {}
    if (this.#playout.queuedMs > 0) call.note('stream', `closed by the server; ${this.#playout.queuedMs} ms are still to be heard`)
    const over = Promise.withResolvers<void>()
    const leave = (): void => over.resolve()
    signal.addEventListener('abort', leave, { once: true })
    await settledWithin(clock, longestDrainMs, [Promise.race([this.#playout.drained(), over.promise])])
    signal.removeEventListener('abort', leave)
    return replaced.aborted ? { reason: 'replaced' } : {}
  }

  #heard(event: CallSignal): void {
    const { identity, extensions } = this.#options
    switch (event.type) {
      case 'fork':
        this.#audio(event)
        break
      case 'digit':
        this.#outgoing.send(messages.dtmf(identity, event.digit))
        break
      case 'voice':
        if (extensions.includes('vad')) this.#outgoing.send(messages.speech(identity, event.active ? 'started' : 'stopped', this.#lengthMs))
        break
    }
  }

  /** Length of the audio sent so far. */
  get #lengthMs(): number {
    return frameMs * Math.max(...[...this.#tracks.values()].map(({ chunks }) => chunks))
  }

  #audio({ said, wide, timestampMs, samples }: Extract<CallSignal, { type: 'fork' }>): void {
    const { identity, format } = this.#options
    const name = said ? 'outbound' : 'inbound'
    const track = this.#tracks.get(name)
    // Of another stream of this call, which has it at another rate.
    if (track === undefined || wide !== (format.sampleRate === 16_000)) return
    const { leg } = this.#options.call
    // A leg that took the place of another one has a time of its own.
    if (leg !== this.#told) this.#firstMs = timestampMs - this.#lengthMs
    this.#told = leg
    const due = Math.round((timestampMs - this.#firstMs) / frameMs)
    // Frames that the line lost are silence, so that the server's time is the caller's.
    const missing = Math.min(due - track.chunks, mostFilledFrames)
    for (let i = 0; i < missing; i++) this.#outgoing.media(messages.media(identity, name, ++track.chunks, format.silence))
    this.#outgoing.media(messages.media(identity, name, ++track.chunks, track.encode(samples)))
    if (!said) this.#playout?.tick()
    this.#tellQueue()
    if (this.#outgoing.flush()) this.#end('error', 1013, 'the server has taken nothing for 10 s')
  }

  #took({ length }: Buffer): void {
    if (this.#intake.took(length)) this.#warn('the server sends audio too fast: it is read more slowly')
  }

  #received(data: Buffer, isBinary: boolean): void {
    this.#took(data)
    const frame = isBinary ? null : messages.readServerFrame(data, this.#options.checkFrame)
    if (frame === null) {
      this.#ignored++
      return this.#warn('frames outside the protocol are ignored')
    }
    if (frame.streamSid !== this.#options.identity.streamSid) this.#foreign++
    const playout = this.#playout
    if (frame.event === 'media') {
      this.#framesIn++
      if (frame.wav) this.#warn('the server sends WAV files; their headers are removed')
      if (playout?.add(frame.payload) === false) this.#warn('the server sent more audio than the buffer holds; the rest is dropped')
    } else if (frame.event === 'mark') {
      if (playout?.mark(frame.name) === false) this.#warn('the server sent too many marks; the rest is dropped')
    } else playout?.clear()
    this.#tellQueue()
  }

  /** The extension `queue`. */
  #tellQueue(): void {
    const playout = this.#playout
    if (playout === null || !this.#options.extensions.includes('queue')) return
    const ms = playout.queuedMs
    const tell = (state: 'xoff' | 'xon' | 'drained'): void => this.#outgoing.send(messages.queue(this.#options.identity, ms, state))
    if (!this.#high && ms > highMs) tell('xoff')
    if (this.#high && ms < lowMs) tell('xon')
    if (this.#full && ms === 0) tell('drained')
    this.#high = ms > (this.#high ? lowMs : highMs)
    this.#full = ms > 0
  }

  #armPing(): void {
    const { socket, clock } = this.#options
    this.#ping = clock.after(pingMs, () => {
      if (this.#missedPongs >= 2) return this.#end('error', null, 'the server answers no ping')
      this.#missedPongs++
      if (socket.readyState === socket.OPEN) socket.ping()
      this.#armPing()
    })
  }

  #warn(text: string): void {
    if (this.#warned.has(text)) return
    this.#warned.add(text)
    this.#options.call.note('warning', `stream: ${text}`)
  }

  #summary(): void {
    const { call } = this.#options
    const { mediaSent, mediaDropped } = this.#outgoing
    const kept = { droppedMs: this.#playout?.droppedMs ?? 0, droppedMarks: this.#playout?.droppedMarks ?? 0 }
    const frames = { framesIn: this.#framesIn, framesOut: mediaSent, lateFrames: mediaDropped }
    const counts = { ...kept, ...frames, ignoredFrames: this.#ignored, otherStreamSid: this.#foreign }
    call.note('stream', 'counted', Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)))
  }
}

/** In words for the reader of the trace; the server gets the code of RFC 6455 for it. */
function faultOf(error: Error & { readonly code?: string }): string {
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 'the server sent a frame of more than 1 MiB'
  if (error.code === 'WS_ERR_TOO_MANY_BUFFERED_PARTS') return 'the server sent a frame in too many pieces'
  return error.message
}
