/** Frames of 20 ms, in which audio is judged, and their level. */

export const frameMs = 20
export const samplesPerMs = 8
export const frameSamples = frameMs * samplesPerMs

/** dBFS of a full-scale square wave is 0; digital silence is -100. */
export function levelOf(samples: Int16Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return sum === 0 ? -100 : Math.max(-100, 10 * Math.log10(sum / samples.length / 32_768 ** 2))
}

/** Cuts audio that comes in pieces of any length into whole frames. */
export class FrameCutter {
  readonly #rest = new Int16Array(frameSamples)
  #held = 0

  /** The frame given to `each` is only lent. */
  push(samples: Int16Array, each: (frame: Int16Array) => void): void {
    let at = 0
    while (at < samples.length) {
      if (this.#held === 0 && samples.length - at >= frameSamples) {
        each(samples.subarray(at, at + frameSamples))
        at += frameSamples
        continue
      }
      const taken = Math.min(frameSamples - this.#held, samples.length - at)
      this.#rest.set(samples.subarray(at, at + taken), this.#held)
      this.#held += taken
      at += taken
      if (this.#held < frameSamples) return
      this.#held = 0
      each(this.#rest)
    }
  }
}
