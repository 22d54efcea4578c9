/**
 * Beginning and end of speech on one line, from the verdicts of an endpoint detector on frames of 20 ms. Time is the audio's own: it passes
 * only as frames come. The detector's delays are taken off, so that durations are those of the voice itself. An utterance is reported as
 * `voice`, then either `false-alarm`, or `onset`, any number of `pause` and `resumed`, and `end`.
 */
import { frameMs } from './level.ts'

export const voiceMs = 60
export const onsetMs = 200
export const pauseMs = 250
/** Less voice than this may have been none. */
export const doubtfulMs = 300
/** So short a sound is not waited for any longer than this. */
const doubtfulSilenceMs = 800
/** A gap that ends what has not become speech yet. */
const gapMs = 200
/** Frames that the detector must have called voice itself, whatever its delays. */
const leastVoiceMs = 40
const leastOnsetMs = 100

/** Echo of a prompt that comes back over a telephone line lies below this. */
const promptGate = -42
const gateStep = 3
/** However loud false alarms were, a caller who talks over a prompt stays audible. */
const highestGate = -18
/** A word has quiet moments: the loudest of so many frames counts. */
const levelFrames = 5

export interface EndpointOptions {
  readonly endSilenceMs: number
  readonly onsetDelayMs: number
  readonly releaseDelayMs: number
}

/** Times in milliseconds of audio. `startMs`: where the voice began. */
export type EndpointEvent =
  | { readonly type: 'voice' | 'onset'; readonly atMs: number; readonly startMs: number }
  | { readonly type: 'pause' | 'resumed' | 'false-alarm'; readonly atMs: number }
  | { readonly type: 'end'; readonly atMs: number; readonly startMs: number; readonly voicedMs: number }

type Phase = 'silent' | 'sound' | 'voice' | 'speaking' | 'paused'

export class Endpoint {
  readonly #options: EndpointOptions
  #now = 0
  #phase: Phase = 'silent'
  #start = 0
  #lastVoiced = 0
  /** Frames called voice, and runs of them, since the utterance began. */
  #counted = 0
  #runs = 0
  #inRun = false
  #peak = -100
  #prompting = false
  #startedPrompting = false
  #gate = promptGate
  readonly #levels: number[] = []

  constructor(options: EndpointOptions) {
    this.#options = options
  }

  /** Milliseconds of audio so far. */
  get now(): number {
    return this.#now
  }

  get phase(): Phase {
    return this.#phase
  }

  /** Where the present utterance began; the present moment in silence. */
  get startMs(): number {
    return this.#phase === 'silent' ? this.#now : this.#start
  }

  prompting(on: boolean): void {
    this.#prompting = on
  }

  /** One frame: the detector's verdict after it and its level in dBFS. */
  push(voiced: boolean, level: number): readonly EndpointEvent[] {
    const before = this.#now
    this.#now += frameMs
    this.#levels.push(level)
    if (this.#levels.length > levelFrames) this.#levels.shift()
    const loudest = Math.max(...this.#levels)
    if (!voiced || (this.#prompting && loudest < this.#gate)) return this.#silence()
    if (this.#phase === 'silent') this.#begin(before)
    if (!this.#inRun) this.#runs += 1
    this.#inRun = true
    this.#counted += frameMs
    this.#lastVoiced = this.#now
    this.#peak = Math.max(this.#peak, loudest)
    return this.#voice()
  }

  /** Ends the utterance without more ado; audio goes on. */
  cut(): void {
    this.#phase = 'silent'
  }

  /** The utterance that ended last was no speech: the next one over a prompt must be louder. */
  mistaken(): void {
    if (this.#startedPrompting) this.#gate = Math.min(highestGate, Math.max(this.#gate, this.#peak + gateStep))
  }

  #begin(before: number): void {
    this.#phase = 'sound'
    this.#start = Math.max(0, before - this.#options.onsetDelayMs)
    this.#counted = 0
    this.#runs = 0
    this.#inRun = false
    this.#peak = -100
    this.#startedPrompting = this.#prompting
  }

  #voice(): EndpointEvent[] {
    const events: EndpointEvent[] = []
    const at = { atMs: this.#now, startMs: this.#start }
    if (this.#phase === 'sound' && this.#counted >= leastVoiceMs && this.#voicedMs() >= voiceMs) {
      this.#phase = 'voice'
      events.push({ type: 'voice', ...at })
    }
    if (this.#phase === 'voice' && this.#counted >= leastOnsetMs && this.#voicedMs() >= onsetMs) {
      this.#phase = 'speaking'
      events.push({ type: 'onset', ...at })
    }
    if (this.#phase === 'paused') {
      this.#phase = 'speaking'
      events.push({ type: 'resumed', atMs: this.#now })
    }
    return events
  }

  #silence(): EndpointEvent[] {
    if (this.#phase === 'silent') return []
    this.#inRun = false
    const silent = this.#now - this.#lastVoiced + this.#options.releaseDelayMs
    if (this.#phase === 'sound' || this.#phase === 'voice') return silent >= gapMs ? this.#nothing() : []
    const events: EndpointEvent[] = []
    if (this.#phase === 'speaking' && silent >= pauseMs) {
      this.#phase = 'paused'
      events.push({ type: 'pause', atMs: this.#now })
    }
    const voicedMs = this.#voicedMs()
    const wanted = voicedMs < doubtfulMs ? Math.min(doubtfulSilenceMs, this.#options.endSilenceMs) : this.#options.endSilenceMs
    if (this.#phase === 'paused' && silent >= wanted) {
      this.#phase = 'silent'
      events.push({ type: 'end', atMs: this.#now, startMs: this.#start, voicedMs })
    }
    return events
  }

  #nothing(): EndpointEvent[] {
    const told = this.#phase === 'voice'
    this.#phase = 'silent'
    if (!told) return []
    this.mistaken()
    return [{ type: 'false-alarm', atMs: this.#now }]
  }

  /** Voice in all: the beginning and the end of each run are noticed late. */
  #voicedMs(): number {
    const { onsetDelayMs, releaseDelayMs } = this.#options
    const ended = this.#inRun ? this.#runs - 1 : this.#runs
    return Math.max(0, this.#counted + this.#runs * onsetDelayMs - ended * releaseDelayMs)
  }
}
