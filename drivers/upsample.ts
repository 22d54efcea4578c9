/**
 * From the telephone's 8,000 samples a second to the 16,000 of neural models and of wideband streams, by a half-band windowed-sinc filter
 * (Kaiser, 60 dB): every second sample is the old one, those between are sums over 24 neighbours on each side. Flat to
 * 3.6 kHz; delays by 3 ms.
 */
import { bessel } from './resample.ts'

const reach = 24
const kaiserBeta = 5.65
const taps = halfBandTaps()

export class Upsampler {
  /** The last samples seen, from -1 to 1. */
  #tail = new Float32Array(2 * reach - 1)

  /** Twice as many samples as came in, from -1 to 1, later by 24 input samples. */
  push(samples: Int16Array): Float32Array {
    const line = new Float32Array(this.#tail.length + samples.length)
    line.set(this.#tail)
    for (let index = 0; index < samples.length; index += 1) line[this.#tail.length + index] = samples[index]! / 32_768
    const out = new Float32Array(2 * samples.length)
    for (let index = 0; index < samples.length; index += 1) {
      let sum = 0
      for (let tap = 0; tap < 2 * reach; tap += 1) sum += taps[tap]! * line[index + tap]!
      out[2 * index] = line[index + reach - 1]!
      out[2 * index + 1] = sum
    }
    this.#tail = line.slice(samples.length)
    return out
  }

  reset(): void {
    this.#tail.fill(0)
  }
}

/** A whole piece without the delay. */
export function upsample(samples: Int16Array): Float32Array {
  const padded = new Int16Array(samples.length + reach)
  padded.set(samples)
  return new Upsampler().push(padded).subarray(2 * reach)
}

/** Weights of the neighbours at -23.5, -22.5 ... 23.5 samples. */
function halfBandTaps(): Float32Array {
  const weights = Float32Array.from({ length: 2 * reach }, (_, tap) => {
    const x = tap - reach + 0.5
    return (Math.sin(Math.PI * x) / (Math.PI * x)) * (bessel(kaiserBeta * Math.sqrt(1 - (x / reach) ** 2)) / bessel(kaiserBeta))
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}
