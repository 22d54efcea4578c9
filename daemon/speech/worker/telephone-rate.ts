/** Audio of any rate, piece by piece, to 8,000 samples a second: the same samples as of the whole at once. */
import { toTelephoneRate } from '../../../drivers/resample.ts'

const target = 8000
/** Samples of the lower rate on either side that the filter sees, and one more. */
const filterReach = 26

export class TelephoneRate {
  readonly #rate: number
  /** What is given to the filter around each second, so that its phases fall as they would without the cut. */
  readonly #context: number
  #held = new Int16Array(0)
  /** Samples at the beginning of `held` that were converted already. */
  #done = 0
  #taken = 0
  #given = 0

  constructor(rate: number) {
    this.#rate = rate
    const reach = Math.ceil((filterReach * rate) / Math.min(rate, target))
    const unit = rate / commonDivisor(rate, target)
    this.#context = Math.ceil(reach / unit) * unit
  }

  /** What can be converted by now. */
  push(samples: Int16Array): Int16Array {
    if (this.#rate === target) return samples
    this.#taken += samples.length
    this.#held = concatenate([this.#held, samples])
    const out: Int16Array[] = []
    while (this.#held.length >= this.#done + this.#rate + this.#context) {
      const window = this.#held.subarray(0, this.#done + this.#rate + this.#context)
      const lead = (this.#done * target) / this.#rate
      out.push(toTelephoneRate(window, this.#rate).subarray(lead, lead + target))
      const next = this.#done + this.#rate
      this.#held = this.#held.slice(Math.max(0, next - this.#context))
      this.#done = Math.min(next, this.#context)
      this.#given += target
    }
    return concatenate(out)
  }

  /** The rest. */
  end(): Int16Array {
    if (this.#rate === target) return new Int16Array(0)
    const lead = (this.#done * target) / this.#rate
    const wanted = Math.round((this.#taken * target) / this.#rate) - this.#given
    return toTelephoneRate(this.#held, this.#rate).slice(lead, lead + wanted)
  }
}

function concatenate(parts: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
