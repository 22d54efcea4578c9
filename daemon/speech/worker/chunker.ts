/**
 * Cuts a recording into pieces of speech of at most 15 s, as recognisers like them: at silences of half a second, or,
 * where nobody pauses, in the quietest place of the last 3 s. Silence between them costs nothing.
 */
import { AudioBuffer } from './utterance.ts'
import { frameMs, frameSamples, levelOf, samplesPerMs } from './level.ts'

export const longestChunkMs = 15_000
const cutSilenceMs = 500
const searchMs = 3000
const quietMs = 100
const preRollMs = 300
const tailMs = 200
/** Shorter voice is a cough or a click: recognisers make words of such. */
const leastVoiceMs = 200

export interface Chunk {
  readonly samples: Int16Array
  /** Where it ends in the recording. */
  readonly endMs: number
}

export interface ChunkerOptions {
  readonly onsetDelayMs: number
  readonly releaseDelayMs: number
}

export class Chunker {
  readonly #options: ChunkerOptions
  readonly #audio = new AudioBuffer()
  #now = 0
  #speaking = false
  #from = 0
  #lastVoiced = 0
  #voiced = 0

  constructor(options: ChunkerOptions) {
    this.#options = options
  }

  /** One frame of 20 ms and the detector's verdict after it. Gives a chunk when one is complete. */
  push(frame: Int16Array, voiced: boolean): Chunk | null {
    const { onsetDelayMs, releaseDelayMs } = this.#options
    if (!this.#speaking) this.#audio.dropBefore((this.#now - preRollMs - onsetDelayMs) * samplesPerMs)
    this.#audio.push(frame)
    this.#now += frameMs
    if (voiced) {
      if (!this.#speaking) {
        this.#speaking = true
        this.#from = Math.max(0, this.#now - frameMs - onsetDelayMs - preRollMs)
        this.#voiced = onsetDelayMs
      }
      this.#voiced += frameMs
      this.#lastVoiced = this.#now
    }
    if (!this.#speaking) return null
    if (this.#now - this.#lastVoiced + releaseDelayMs >= cutSilenceMs) return this.#close()
    return this.#now - this.#from >= longestChunkMs ? this.#split() : null
  }

  /** The recording has ended: what is left of it. */
  end(): Chunk | null {
    return this.#speaking ? this.#close() : null
  }

  #close(): Chunk | null {
    this.#speaking = false
    const { releaseDelayMs } = this.#options
    const voiced = this.#voiced - (this.#now > this.#lastVoiced ? releaseDelayMs : 0)
    if (voiced < leastVoiceMs) return null
    return this.#take(Math.min(this.#now, this.#lastVoiced + tailMs))
  }

  #split(): Chunk {
    const cut = this.#quietest()
    const chunk = this.#take(cut)
    this.#from = cut
    this.#audio.dropBefore(cut * samplesPerMs)
    // Speech went on across the cut: what follows is a part of it, however short.
    this.#voiced = leastVoiceMs + this.#options.releaseDelayMs
    return chunk
  }

  #take(toMs: number): Chunk {
    return { samples: this.#audio.slice(this.#from * samplesPerMs, toMs * samplesPerMs), endMs: toMs }
  }

  /** The middle of the quietest tenth of a second of late. */
  #quietest(): number {
    const samples = this.#audio.slice((this.#now - searchMs) * samplesPerMs, this.#now * samplesPerMs)
    let best = { at: 0, level: Infinity }
    for (let at = 0; at + quietMs * samplesPerMs <= samples.length; at += frameSamples) {
      const level = levelOf(samples.subarray(at, at + quietMs * samplesPerMs))
      if (level < best.level) best = { at, level }
    }
    return this.#now - searchMs + best.at / samplesPerMs + quietMs / 2
  }
}
