/** What an analog line gives back of what is said on it: the hybrids of modem and exchange do not fit it wholly (ITU-T G.168). */
const frame = 160
/** One after another, each a millisecond later. */
const shape = [1, -0.6, 0.35, -0.2, 0.1]
const apart = 8

export interface HybridLoss {
  /** Dispersion aside. */
  readonly lossDb: number
  /** Of the modem's own firmware. */
  readonly delayMs: number
}

export class Hybrid {
  readonly #gain: number
  readonly #delay: number
  /** What was said, the newest last. */
  #said: Int16Array

  constructor({ lossDb, delayMs }: HybridLoss) {
    this.#gain = 10 ** (-lossDb / 20)
    this.#delay = delayMs * 8
    this.#said = new Int16Array(this.#delay + shape.length * apart + frame)
  }

  said(samples: Int16Array): void {
    this.#said.copyWithin(0, samples.length)
    this.#said.set(samples, this.#said.length - samples.length)
  }

  /** With the echo of what was said until then. */
  hear(samples: Int16Array): Int16Array {
    const newest = this.#said.length - samples.length - this.#delay
    return Int16Array.from(samples, (sample, i) => {
      const echo = shape.reduce((sum, part, k) => sum + part * (this.#said[newest + i - k * apart] ?? 0), 0)
      return Math.max(-32_768, Math.min(32_767, Math.round(sample + this.#gain * echo)))
    })
  }
}
