/** What is said on a modem's line: pulled piece by piece, sent some time ahead of the line, and how far the line has come in it. */
import { shield } from '../../v253.ts'
import type { VoiceFormat } from './formats.ts'

export interface SpeechHandlers {
  /** About so many samples that are to be said next; `aheadMs` of others are not heard yet, less than 0 where the line has waited. */
  pull(most: number, aheadMs: number): Int16Array
  /** The line has come to this sample of what was pulled. */
  reached(sample: number): void
  /** There was more to say than had come to the line in time: the speech had a gap. */
  underrun(): void
  /** Somebody else speaks here, whose gaps are known by a line that waits. */
  inTalk(): boolean
}

export interface SpeechOptions {
  readonly format: VoiceFormat
  readonly handlers: SpeechHandlers
  /** Of speech that is known, so much is sent ahead: a busy box does not tear it. */
  readonly aheadMs: number
  /** Where the line is, in samples of a clock of its own. */
  readonly position: () => number
  readonly send: (bytes: Buffer) => void
  /** These samples are on the line from there on. */
  readonly said: (at: number, samples: Int16Array) => void
}

const frame = 160
const samplesPerMs = 8
/** Silence that is sent ahead where nothing is to be said: on a line that never waits, what is said comes back at one and the same delay. */
const silenceMs = 40
const silence = new Int16Array(frame)
/** In so short a speech a report that the modem has nothing to say belongs to the time before. */
const settledMs = 500

export class Speech {
  readonly #options: SpeechOptions
  /** Where the line will be when it has said all that was sent. */
  #spokenTo = 0
  /** Samples that were pulled, and of silence behind them. */
  #pulled = 0
  #silent = 0
  /** Not all was sent yet of what is being said. */
  #goesOn = false
  /** When speech began, or went on after a gap. */
  #beganAt = -Infinity
  /** When the modem has said all that was sent. */
  #dryAt = Infinity
  /** The modem reported that it has run dry; at the end of speech that is as it should be. */
  #ranDry = false
  /** There is something to be said. */
  wanted = false

  constructor(options: SpeechOptions) {
    this.#options = options
  }

  /** Of what was sent, so much is not heard yet; less than 0 where the line waits. */
  get leadMs(): number {
    return (this.#spokenTo - this.#options.position()) / samplesPerMs
  }

  /** The modem takes speech from here on; the flag restarts the clock of the line with it. */
  begin(anew: boolean): void {
    this.#goesOn = false
    this.#silent = 0
    if (anew) this.#spokenTo = 0
  }

  /** What was sent is not heard any more. */
  drop(): void {
    this.#spokenTo = Math.min(this.#spokenTo, this.#options.position())
    this.#silent = 0
  }

  /** There is nothing to be said. */
  clear(): void {
    this.wanted = this.#goesOn = false
  }

  /** The modem says that it has nothing to say. */
  ranDry(): void {
    this.#ranDry = performance.now() - this.#beganAt > settledMs
  }

  /** Of what was pulled, so much is not heard yet. */
  get unheardMs(): number {
    return Math.max(0, this.leadMs - this.#silent / samplesPerMs)
  }

  tellReached(): void {
    this.#options.handlers.reached(this.#pulled - Math.round(this.unheardMs * samplesPerMs))
  }

  /** As much as may be sent ahead; `ongoing`: silence where there is nothing. */
  feed(ongoing: boolean): void {
    const { handlers, aheadMs, send } = this.#options
    // By the box's own time: a busy box reads what was heard in pieces, each of which looks as if it were in time.
    const now = performance.now()
    // At once to the port: the rest of many pieces would wait in this process for the first one to be written.
    const bytes: Buffer[] = []
    while (this.leadMs < aheadMs) {
      const samples = handlers.pull(frame, this.leadMs)
      if (samples.length === 0) {
        this.wanted = this.#goesOn = false
        break
      }
      if (!this.#goesOn) this.#beganAt = now
      else if (now > this.#dryAt || this.#ranDry) {
        handlers.underrun()
        this.#beganAt = now
      }
      this.#goesOn = true
      this.#ranDry = false
      this.#dryAt = Infinity
      this.#pulled += samples.length
      this.#silent = 0
      bytes.push(this.#coded(samples))
    }
    if (this.#goesOn) this.#dryAt = now + this.leadMs
    else if (ongoing && !handlers.inTalk()) {
      for (; this.leadMs < silenceMs; this.#silent += frame) bytes.push(this.#coded(silence))
    }
    if (bytes.length > 0) send(Buffer.concat(bytes))
  }

  /** As the modem wants it; from where the line will be by then. */
  #coded(samples: Int16Array): Buffer {
    const { format, position, said } = this.#options
    const at = Math.max(this.#spokenTo, position())
    this.#spokenTo = at + samples.length
    said(at, samples)
    return shield(format.encode(samples))
  }
}
