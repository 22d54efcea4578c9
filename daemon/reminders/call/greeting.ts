/**
 * Decides whether a person or a machine has answered: a person says a word or two and waits; a machine talks without a break, and beeps.
 * Pure: 20 ms frames of the callee's voice go in, the verdict comes out, and all times are those of the frames.
 */
import { BeepFinder } from './beep.ts'

const frameMs = 20
/** From the last sound of a short hello to our first word. */
const helloEndMs = 600
/** Somebody who says nothing is spoken to after this. */
const silentMs = 1500
/** A person stops for breath earlier. */
const machineMs = 2800
/** After a machine's last word, where no beep comes. */
const greetingEndMs = 2000
/** A greeting that never ends, such as music, is spoken into. */
const longestGreetingMs = 30_000

/** In dB above the noise of the line, and at least so loud (dBFS). */
const aboveNoise = 10
const faintest = -45
/** Noise is never taken to be louder, so that a loud speaker who never pauses stays audible (dBFS). */
const loudestNoise = -34
/** How fast the noise may turn out to be louder than it was, in dB for each frame. */
const noiseRise = 0.03

export type Verdict =
  /** A person, or somebody silent: speak now. */
  | 'human'
  /** A machine is talking: wait. */
  | 'machine'
  /** The machine records: speak now. */
  | 'recording'

export class Greeting {
  readonly #beep = new BeepFinder()
  readonly #voice = new VoiceLevel()
  #machine = false
  #ms = 0
  #spokeSince: number | null = null
  #spokeLast = 0

  get machine(): boolean {
    return this.#machine
  }

  /** Milliseconds heard so far. */
  get heardMs(): number {
    return this.#ms
  }

  /** The verdict on what was heard so far; null for "go on". `human` and `recording` are the last word. */
  frame(samples: Int16Array): Verdict | null {
    this.#ms += frameMs
    const beep = this.#beep.frame(samples)
    if (beep === 'over') return 'recording'
    if (this.#voice.frame(samples)) {
      this.#spokeSince ??= this.#ms
      this.#spokeLast = this.#ms
    }
    if (beep === 'beep') this.#machine = true
    return this.#machine ? this.#afterGreeting() : this.#first()
  }

  #first(): Verdict | null {
    const since = this.#spokeSince
    if (since === null) return this.#ms >= silentMs ? 'human' : null
    if (this.#ms - this.#spokeLast >= helloEndMs) return 'human'
    if (this.#spokeLast - since < machineMs) return null
    this.#machine = true
    return 'machine'
  }

  #afterGreeting(): Verdict | null {
    return this.#ms - this.#spokeLast >= greetingEndMs || this.#ms >= longestGreetingMs ? 'recording' : null
  }
}

/** Separates voice from the noise of a line by its loudness: noise is what is always there. */
class VoiceLevel {
  #noise = loudestNoise
  #frames = 0

  /** Whether somebody speaks; three frames in a row of it, so that a click is none. */
  frame(samples: Int16Array): boolean {
    const level = decibels(samples)
    // Digital silence says nothing of the noise that comes with a voice.
    if (level > -80) this.#noise = Math.min(loudestNoise, level, this.#noise + noiseRise)
    const loud = level > faintest && level > this.#noise + aboveNoise
    this.#frames = loud ? this.#frames + 1 : 0
    return this.#frames >= 3
  }
}

function decibels(samples: Int16Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return 10 * Math.log10(sum / Math.max(1, samples.length) / 32_768 ** 2 + 1e-12)
}
