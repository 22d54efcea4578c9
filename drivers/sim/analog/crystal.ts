/** The crystal of a modem that is off: what it hears and says, stretched between its time and that of the line. Pure. */

/** Samples come in at one rate and go out at another, between them a cubic through four (Catmull-Rom). */
class Stretch {
  readonly #step: number
  #samples: number[] = [0, 0, 0]
  /** Of the next sample that goes out, behind the second one that is kept. */
  #at = 0

  /** @param step samples that come in for one that goes out. */
  constructor(step: number) {
    this.#step = step
  }

  feed(samples: Int16Array): void {
    this.#samples.push(...samples)
  }

  /** How many can go out. */
  get ready(): number {
    return Math.max(0, Math.ceil((this.#samples.length - 3 - this.#at) / this.#step))
  }

  /** How many have to come in for so many. */
  missing(count: number): number {
    return Math.max(0, Math.floor(this.#at + (count - 1) * this.#step) + 4 - this.#samples.length)
  }

  take(count: number): Int16Array {
    const out = new Int16Array(count)
    for (let i = 0; i < count; i++) {
      const at = this.#at + i * this.#step
      const from = Math.floor(at)
      out[i] = Math.max(-32_768, Math.min(32_767, Math.round(cubic(this.#samples, from, at - from))))
    }
    this.#at += count * this.#step
    const whole = Math.floor(this.#at)
    this.#samples = this.#samples.slice(whole)
    this.#at -= whole
    return out
  }
}

function cubic(samples: readonly number[], from: number, t: number): number {
  const [a, b, c, d] = [samples[from]!, samples[from + 1]!, samples[from + 2]!, samples[from + 3]!]
  return b + (t / 2) * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
}

export class Crystal {
  readonly #heard: Stretch
  readonly #said: Stretch

  /** @param ppm how much too fast. */
  constructor(ppm: number) {
    const rate = 1 + ppm / 1e6
    this.#heard = new Stretch(1 / rate)
    this.#said = new Stretch(rate)
  }

  /** From the line to the modem: a sample more or fewer from time to time. */
  hear(samples: Int16Array): Int16Array {
    this.#heard.feed(samples)
    return this.#heard.take(this.#heard.ready)
  }

  /** So many samples of the line, of those that `say` gives. */
  say(count: number, say: (count: number) => Int16Array): Int16Array {
    const missing = this.#said.missing(count)
    if (missing > 0) this.#said.feed(say(missing))
    return this.#said.take(count)
  }
}
