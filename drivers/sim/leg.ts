/**
 * A leg whose far end is simulated. It keeps its own time; every event leaves through one queue, so that their order
 * is that of their causes however the clock jumps.
 */
import type { Fork, Leg, LegAudio, LegEnd, LegEvent, PlaySource } from '../line.ts'
import { PlayQueue, type PlayedItem } from './play-queue.ts'
import type { SimClock, SimTimer } from './time.ts'
import { VoiceTrack } from './voice-track.ts'
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { wavBytes } from '../wav.ts'

// Writes a recording as a finished WAV: under `.part` first, synced, then under its name.

/** RIFF/WAVE with 8 kHz mono signed 16-bit PCM. Throws what the file system throws. */
export function writeWav(file: string, samples: Int16Array): void {
  const descriptor = openSync(`${file}.part`, 'w', 0o640)
  try {
    writeSync(descriptor, wavBytes(samples))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.part`, file)
}

/** What the far end notices; `atMs` is line time. */
export type SimNotice =
  | { readonly type: 'ringing'; readonly atMs: number; readonly sipCode: number }
  | { readonly type: 'answered'; readonly atMs: number }
  /** A prompt was heard to its end, or cut. `text` is '' where the clip carries none; tones and silence name themselves in `kind`. */
  | {
      readonly type: 'heard'
      readonly atMs: number
      readonly kind: PlaySource['kind']
      readonly text: string
      readonly startedMs: number
      readonly endedMs: number
      readonly completed: boolean
    }
  | { readonly type: 'pressed'; readonly atMs: number; readonly digit: string }
  | { readonly type: 'spoke'; readonly atMs: number; readonly ms: number }
  | { readonly type: 'received-digits'; readonly atMs: number; readonly digits: string }
  | { readonly type: 'bridged' | 'unbridged'; readonly atMs: number }
  | { readonly type: 'ended'; readonly atMs: number; readonly end: LegEnd }

interface Recording {
  readonly id: number
  readonly file: string
  readonly startMs: number
  readonly timer: SimTimer
}

export interface SimLegOrigin {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  /** Line time since the leg began. */
  readonly clock: SimClock
  notice(notice: SimNotice): void
  ended(): void
  /** The owner of the leg threw while it handled an event. */
  fault(error: unknown): void
}

export class SimLeg implements Leg, LegAudio {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  onEvent: (event: LegEvent) => void = () => undefined
  readonly voice = new VoiceTrack()
  readonly #said = new VoiceTrack()
  readonly #origin: SimLegOrigin
  readonly #queue: PlayQueue
  readonly #recordings = new Map<number, Recording>()
  #outgoing: LegEvent[] = []
  #answered = false
  #over = false
  #listening = false
  #tapTimer: SimTimer | null = null
  #forkTimer: SimTimer | null = null
  #tellRest: () => void = () => undefined

  constructor(origin: SimLegOrigin) {
    this.#origin = origin
    this.id = origin.id
    this.direction = origin.direction
    this.#queue = new PlayQueue(origin.clock, this.#said, (item) => this.#played(item))
  }

  get audio(): LegAudio {
    return this
  }

  get isTerminal(): boolean {
    return this.#over
  }

  get isAnswered(): boolean {
    return this.#answered
  }

  /** Nothing was said to the far end for so long; at most 3 s are known. */
  wasQuiet(ms: number): boolean {
    return this.#said.isQuiet(this.#now() - ms, this.#now())
  }

  get isPlaying(): boolean {
    return !this.#queue.isEmpty
  }

  progress(sipCode: 180 | 183): void {
    if (!this.#over && this.direction === 'inbound') this.#origin.notice({ type: 'ringing', atMs: this.#now(), sipCode })
  }

  answer(): void {
    if (this.direction === 'inbound') this.connect()
  }

  reject(sipCode: number, reason?: string): void {
    if (this.#answered || this.direction !== 'inbound') return
    this.end({ by: 'local', reason: 'rejected', sipCode, cause: causeOf(sipCode), text: reason ?? 'Rejected' })
  }

  hangup(cause = 16): void {
    if (this.#answered) this.end({ by: 'local', reason: 'hangup', sipCode: 200, cause, text: 'Ended by the box' })
    else if (this.direction === 'inbound') this.end({ by: 'local', reason: 'rejected', sipCode: 603, cause: 21, text: 'Declined' })
    else this.end({ by: 'local', reason: 'canceled', sipCode: 487, cause, text: 'Canceled' })
  }

  play(playId: number, source: PlaySource): void {
    if (!this.#over) this.#queue.play(playId, source)
  }

  clear(): void {
    if (!this.#over) this.#queue.clear()
  }

  sendDigits(digits: string): void {
    if (!this.#over) this.#origin.notice({ type: 'received-digits', atMs: this.#now(), digits })
  }

  record(recordId: number, options: { readonly file: string; readonly maxMs: number }): void {
    if (this.#over) return
    const timer = this.#origin.clock.after(options.maxMs, () => this.#finishRecording(recordId, 'max-length', 0))
    this.#recordings.set(recordId, { id: recordId, file: options.file, startMs: this.#now(), timer })
    this.#tellVoice()
  }

  stopRecord(recordId: number, trimMs = 0): void {
    this.#finishRecording(recordId, 'stopped', trimMs)
  }

  listen(on: boolean): void {
    this.#listening = on
    if (on) this.#tellVoice()
  }

  tap(on: boolean): void {
    this.#tapTimer?.cancel()
    this.#tapTimer = null
    if (on && !this.#over) this.#tapNext(Math.ceil(this.#now() / 20) * 20)
  }

  fork(wanted: Fork): void {
    this.#forkTimer?.cancel()
    this.#forkTimer = null
    if (Object.values(wanted).includes(true) && !this.#over) this.#forkNext(Math.ceil(this.#now() / 20) * 20, wanted)
  }

  bridge(other: Leg): boolean {
    if (this.#over || !(other instanceof SimLeg) || other.isTerminal) return false
    this.#origin.notice({ type: 'bridged', atMs: this.#now() })
    other.#origin.notice({ type: 'bridged', atMs: other.#now() })
    return true
  }

  unbridge(): void {
    if (!this.#over) this.#origin.notice({ type: 'unbridged', atMs: this.#now() })
  }

  /** Passes on what is said to the far end, a second at a time, until the leg has ended. */
  tellSaid(each: (samples: Int16Array) => void): void {
    let fromMs = 0
    const tell = (toMs: number): void => {
      if (toMs > fromMs) each(this.#said.cut(fromMs, toMs))
      fromMs = toMs
    }
    const next = (): void => {
      const timer = this.#origin.clock.after(fromMs + 1000 - this.#now(), () => {
        tell(fromMs + 1000)
        next()
      })
      this.#tellRest = () => {
        timer.cancel()
        tell(this.#now())
      }
    }
    next()
  }

  /** Either side answered. */
  connect(): void {
    if (this.#over || this.#answered) return
    this.#answered = true
    this.#origin.notice({ type: 'answered', atMs: this.#now() })
    this.emit({ type: 'answered', codec: 'PCMU', secure: false })
  }

  /** The far end says something, from now on. */
  speak(samples: Int16Array): void {
    if (this.#over) return
    this.voice.add(this.#now(), samples)
    this.#tellVoice()
    this.#origin.clock.after(samples.length / 8, () => {
      if (this.#heardByDetector()) this.emit({ type: 'voice', active: false })
    })
  }

  end(end: LegEnd): void {
    if (this.#over) return
    for (const id of this.#recordings.keys()) this.#finishRecording(id, 'ended', 0)
    this.tap(false)
    this.fork({ heard: false, said: false, heardWide: false, saidWide: false })
    this.#tellRest()
    this.#over = true
    this.#queue.clear()
    this.#origin.notice({ type: 'ended', atMs: this.#now(), end })
    this.#send({ type: 'ended', end })
    this.#origin.ended()
  }

  emit(event: LegEvent): void {
    if (!this.#over) this.#send(event)
  }

  #send(event: LegEvent): void {
    this.#outgoing.push(event)
    if (this.#outgoing.length > 1) return
    queueMicrotask(() => {
      const events = this.#outgoing
      this.#outgoing = []
      for (const each of events) {
        try {
          this.onEvent(each)
        } catch (error) {
          this.#origin.fault(error)
        }
      }
    })
  }

  #now(): number {
    return this.#origin.clock.now()
  }

  #heardByDetector(): boolean {
    return !this.#over && (this.#listening || this.#recordings.size > 0)
  }

  #tellVoice(): void {
    if (this.#heardByDetector() && this.voice.speaksAt(this.#now())) this.emit({ type: 'voice', active: true })
  }

  #played(item: PlayedItem): void {
    const { source } = item
    this.#said.forget(this.#now() - 3000)
    this.#origin.notice({
      type: 'heard',
      atMs: this.#now(),
      kind: source.kind,
      text: source.kind === 'clip' ? (source.clip.text ?? '') : '',
      startedMs: item.startedMs,
      endedMs: item.endedMs,
      completed: item.completed,
    })
    this.emit({ type: 'played', playId: item.playId, completed: item.completed, playedMs: item.playedMs })
  }

  #finishRecording(id: number, reason: 'stopped' | 'max-length' | 'ended', trimMs: number): void {
    const recording = this.#recordings.get(id)
    if (recording === undefined) return
    this.#recordings.delete(id)
    recording.timer.cancel()
    const samples = this.voice.cut(recording.startMs, Math.max(recording.startMs, this.#now() - trimMs))
    const durationMs = Math.round(samples.length / 8)
    try {
      writeWav(recording.file, samples)
      this.emit({ type: 'recorded', recordId: id, file: recording.file, durationMs, reason })
    } catch {
      this.emit({ type: 'recorded', recordId: id, file: recording.file, durationMs: 0, reason: 'failed' })
    }
  }

  #forkNext(timestampMs: number, wanted: Fork): void {
    const end = timestampMs + 20
    this.#forkTimer = this.#origin.clock.after(end - this.#now(), () => {
      const tell = (said: boolean, wide: boolean): void =>
        this.emit({ type: 'fork', said, wide, samples: (said ? this.#said : this.voice).cut(timestampMs, end), timestampMs })
      if (wanted.heard) tell(false, false)
      if (wanted.heardWide) tell(false, true)
      if (wanted.said) tell(true, false)
      if (wanted.saidWide) tell(true, true)
      this.#forkNext(end, wanted)
    })
  }

  #tapNext(timestampMs: number): void {
    this.#tapTimer = this.#origin.clock.after(timestampMs + 20 - this.#now(), () => {
      this.emit({ type: 'audio', samples: this.voice.cut(timestampMs, timestampMs + 20), timestampMs })
      this.#tapNext(timestampMs + 20)
    })
  }
}

/** Q.850 cause of a SIP status (RFC 3398, 8.2.6.1), for those a box sends. */
export function causeOf(sipCode: number): number {
  const causes: Record<number, number> = { 404: 1, 480: 18, 486: 17, 487: 16, 488: 65, 500: 41, 503: 41, 600: 17, 603: 21 }
  return causes[sipCode] ?? 31
}
