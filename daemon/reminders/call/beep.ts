/**
 * Finds the beep of a voicemail in 20 ms frames of 8 kHz PCM: one steady sine between 350 and 2600 Hz. Speech does not keep
 * one pitch and one strength for so long, and keys, ringback and busy tones are two sines at once.
 */

/** Frames of one sine before it is a beep: 160 ms. */
const leastFrames = 8
const lowestHz = 350
const highestHz = 2600
/** How far the pitch may move between frames. */
const steadyHz = 0.02
/** Change of power from frame to frame, up or down: 2 dB. */
const steadyPower = 1.6
/** Share of a frame's power that lies in its one sine. */
const pureShare = 0.85
/** Mean square of -38 dBFS. */
const faintest = (32_768 * 10 ** (-38 / 20)) ** 2

export interface Tone {
  readonly hz: number
  readonly power: number
}

/** The one sine a frame consists of, or null. */
export function pureTone(samples: Int16Array): Tone | null {
  let power = 0
  let lagged = 0
  let centre = 0
  for (let at = 0; at < samples.length; at += 1) {
    const sample = samples[at]!
    power += sample * sample
    if (at === 0 || at === samples.length - 1) continue
    // A sine obeys x[n-1] + x[n+1] = 2 cos(w) x[n].
    lagged += sample * (samples[at - 1]! + samples[at + 1]!)
    centre += sample * sample
  }
  power /= samples.length
  if (power < faintest || centre === 0) return null
  const cosine = lagged / (2 * centre)
  if (Math.abs(cosine) >= 1) return null
  const hz = (Math.acos(cosine) * 8000) / (2 * Math.PI)
  if (hz < lowestHz || hz > highestHz) return null
  return goertzel(samples, cosine) / power >= pureShare ? { hz, power } : null
}

/** Mean square of the part of the samples that is a sine of the angular frequency `acos(cosine)`. */
function goertzel(samples: Int16Array, cosine: number): number {
  let last = 0
  let before = 0
  for (const sample of samples) {
    const next = sample + 2 * cosine * last - before
    before = last
    last = next
  }
  const magnitude = last * last + before * before - 2 * cosine * last * before
  return (2 * magnitude) / (samples.length * samples.length)
}

export class BeepFinder {
  readonly #leastFrames: number
  #frames = 0
  #tone: Tone | null = null

  constructor(frames = leastFrames) {
    this.#leastFrames = frames
  }

  /** `beep` from the frame on that makes the tone long enough, `over` at the first frame behind it. */
  frame(samples: Int16Array): 'beep' | 'over' | null {
    const tone = pureTone(samples)
    const before = this.#tone
    this.#tone = tone
    const goesOn =
      tone !== null &&
      before !== null &&
      Math.abs(tone.hz - before.hz) <= before.hz * steadyHz &&
      tone.power < before.power * steadyPower &&
      tone.power > before.power / steadyPower
    if (goesOn) {
      this.#frames += 1
      return this.#frames >= this.#leastFrames ? 'beep' : null
    }
    const over = this.#frames >= this.#leastFrames
    this.#frames = tone === null ? 0 : 1
    return over ? 'over' : null
  }
}
