/**
 * One hearing: cuts the caller's audio into utterances and has each recognised. The text of an utterance is worked out at its first pause
 * already, so that it is there when the silence has become an end; it is thrown away when the caller goes on. The results come in the order
 * in which the words were said, whatever the decodes take.
 */
import { SpeechError, type EndpointDetector } from '../../../drivers/speech.ts'
import type { Heard } from '../hearing.ts'
import type { ListenOrder } from '../process/protocol.ts'
import { urgency, type Decoded, type Decoding } from './decoder.ts'
import { doubtfulMs, Endpoint, type EndpointEvent } from './endpoint.ts'
import { FrameCutter, levelOf, samplesPerMs } from './level.ts'

/** The last part of an audio stream, addressed by sample number from the stream's beginning. */
export class AudioBuffer {
  #samples = new Int16Array(8000)
  #start = 0
  #length = 0

  /** Number of the first sample that is kept. */
  get start(): number {
    return this.#start
  }

  /** Number of the sample that comes next. */
  get end(): number {
    return this.#start + this.#length
  }

  push(samples: Int16Array): void {
    const needed = this.#length + samples.length
    if (needed > this.#samples.length) {
      const grown = new Int16Array(Math.max(needed, this.#samples.length * 2))
      grown.set(this.#samples.subarray(0, this.#length))
      this.#samples = grown
    }
    this.#samples.set(samples, this.#length)
    this.#length = needed
  }

  /** Forgets what lies before `sample`. */
  dropBefore(sample: number): void {
    const dropped = Math.min(this.#length, Math.max(0, sample - this.#start))
    if (dropped === 0) return
    this.#samples.copyWithin(0, dropped, this.#length)
    this.#start += dropped
    this.#length -= dropped
  }

  /** Keeps nothing; the next sample has this number. */
  restart(sample: number): void {
    this.#start = sample
    this.#length = 0
  }

  /** A copy of the samples from `from` up to `to`, as far as they are kept. */
  slice(from: number, to: number): Int16Array {
    return this.#samples.slice(Math.max(0, from - this.#start), Math.max(0, Math.min(this.#length, to - this.#start)))
  }
}

const preRollMs = 300
/** What is said beyond this is not kept. */
const longestMs = 60_000
const partialEveryMs = 600

export interface UtteranceOptions {
  readonly request: ListenOrder
  readonly detector: EndpointDetector
  readonly onsetDelayMs: number
  readonly releaseDelayMs: number
  readonly decoder: Decoding
  readonly heard: (what: Heard) => void
}

/** A decode of the present utterance. */
interface Attempt {
  readonly abort: AbortController
  readonly result: Promise<Decoded>
}

interface Slot {
  what: Heard | null
}

export class UtteranceSession {
  readonly #options: UtteranceOptions
  readonly #endpoint: Endpoint
  readonly #frames = new FrameCutter()
  readonly #audio = new AudioBuffer()
  /** Heard but not reported: one that is still being decoded holds up those behind it. */
  readonly #slots: Slot[] = []
  #attempt: Attempt | null = null
  #partialRunning = false
  #lastPartialMs = 0
  #lastPartial = ''
  /** Where the present utterance's audio begins. */
  #from = 0
  #finals = 0
  #mustFinish = false
  #over = false

  constructor(options: UtteranceOptions) {
    this.#options = options
    const { onsetDelayMs, releaseDelayMs, request } = options
    this.#endpoint = new Endpoint({ endSilenceMs: request.endSilenceMs, onsetDelayMs, releaseDelayMs })
  }

  audio(samples: Int16Array): void {
    this.#frames.push(samples, (frame) => {
      if (this.#over) return
      this.#keep(frame)
      for (const event of this.#endpoint.push(this.#options.detector.push(frame), levelOf(frame))) this.#follow(event)
      this.#partial()
    })
  }

  prompting(on: boolean): void {
    this.#endpoint.prompting(on)
  }

  finish(): void {
    if (this.#over) return
    if (this.#finals > 0) {
      this.#mustFinish = true
      return
    }
    const { phase } = this.#endpoint
    if (phase === 'silent' || phase === 'sound') {
      this.#tell({ type: 'speech-final', text: '', engine: this.#options.decoder.id })
      return
    }
    if (phase !== 'paused') this.#decode(urgency.final)
    this.#mustFinish = true
    this.#endpoint.cut()
    this.#final(0)
  }

  /** Nothing is reported after it. */
  stop(): void {
    this.#over = true
    this.#giveUp()
  }

  #keep(frame: Int16Array): void {
    const { now, phase } = this.#endpoint
    const silent = phase === 'silent'
    // After an utterance that was longer than what is kept.
    if (silent && this.#audio.end !== now * samplesPerMs) this.#audio.restart(now * samplesPerMs)
    this.#audio.dropBefore(silent ? (now - preRollMs - this.#options.onsetDelayMs) * samplesPerMs : this.#from)
    if (this.#audio.end - this.#audio.start < (longestMs + preRollMs) * samplesPerMs) this.#audio.push(frame)
  }

  #follow(event: EndpointEvent): void {
    switch (event.type) {
      case 'voice':
        this.#from = Math.max(0, (event.startMs - preRollMs) * samplesPerMs)
        this.#lastPartialMs = event.atMs
        this.#lastPartial = ''
        this.#tell({ type: 'voice' })
        return
      case 'onset':
        this.#tell({ type: 'speech-onset' })
        return
      case 'pause':
        this.#speculate()
        return
      case 'resumed':
        this.#giveUp()
        return
      case 'false-alarm':
        this.#tell({ type: 'speech-false-alarm' })
        return
      case 'end':
        this.#final(event.voicedMs)
    }
  }

  /** Decodes the utterance as it is now; what was tried before is dropped. */
  #decode(priority: number): Attempt {
    this.#giveUp()
    const abort = new AbortController()
    const { language, hints, digits } = this.#options.request
    const samples = this.#audio.slice(this.#from, this.#audio.end)
    const result = this.#options.decoder.decode(priority, samples, { language, hints, digits, signal: abort.signal })
    // A later await sees the failure; until then it is handled here.
    result.catch(() => undefined)
    this.#attempt = { abort, result }
    return this.#attempt
  }

  #giveUp(): void {
    this.#attempt?.abort.abort()
    this.#attempt = null
    this.#partialRunning = false
  }

  #speculate(): void {
    const attempt = this.#decode(urgency.speculative)
    if (this.#options.request.partials) void this.#tellPartial(attempt, true)
  }

  #partial(): void {
    const { now, phase } = this.#endpoint
    if (!this.#options.request.partials || phase !== 'speaking' || this.#partialRunning) return
    if (now - this.#lastPartialMs < partialEveryMs) return
    this.#lastPartialMs = now
    const attempt = this.#decode(urgency.partial)
    this.#partialRunning = true
    void this.#tellPartial(attempt, false).finally(() => {
      if (this.#attempt === attempt) this.#partialRunning = false
    })
  }

  async #tellPartial(attempt: Attempt, stable: boolean): Promise<void> {
    const recognition = await attempt.result.catch(() => null)
    if (recognition === null || this.#attempt !== attempt || recognition.text === '') return
    if (!stable && recognition.text === this.#lastPartial) return
    this.#lastPartial = recognition.text
    this.#tell({ type: 'speech-partial', text: recognition.text, stable })
  }

  /** `voicedMs` 0: it was cut off, and is speech whatever it was. */
  #final(voicedMs: number): void {
    const attempt = this.#attempt ?? this.#decode(urgency.final)
    this.#attempt = null
    this.#partialRunning = false
    const slot: Slot = { what: null }
    this.#slots.push(slot)
    this.#finals += 1
    attempt.result.then(
      (recognition) => this.#settle(slot, recognition, voicedMs),
      (error: unknown) => this.#fail(error),
    )
  }

  #settle(slot: Slot, recognition: Decoded, voicedMs: number): void {
    this.#finals -= 1
    const { text, confidence, language, engine } = recognition
    if (text === '' && voicedMs < doubtfulMs && !this.#mustFinish) {
      this.#endpoint.mistaken()
      slot.what = { type: 'speech-false-alarm' }
    } else {
      this.#mustFinish = false
      slot.what = {
        type: 'speech-final',
        text,
        ...(confidence === undefined ? {} : { confidence }),
        ...(language === undefined ? {} : { language }),
        engine,
      }
    }
    this.#drain()
  }

  #fail(error: unknown): void {
    if (this.#over) return
    this.stop()
    this.#options.heard({ type: 'recogniser-error', reason: error instanceof SpeechError ? error.code : 'engine-failed' })
  }

  #tell(what: Heard): void {
    this.#slots.push({ what })
    this.#drain()
  }

  #drain(): void {
    for (let first = this.#slots[0]; first !== undefined && first.what !== null; first = this.#slots[0]) {
      this.#slots.shift()
      if (!this.#over) this.#options.heard(first.what)
    }
  }
}
