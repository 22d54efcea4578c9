/**
 * To the telephone's 8,000 samples a second, by a polyphase windowed-sinc filter (Kaiser, 60 dB): flat to 3.4 kHz,
 * silent from 4 kHz, so that nothing folds back into the band.
 */

const target = 8000
/** Middle of the transition from 3.4 to 4 kHz, as a part of the lower of both rates. */
const cutoff = 3700 / target
/** Taps on each side, in samples of the lower rate. */
const halfWidth = 24.5
const kaiserBeta = 5.65
/** Odd ratios are rounded to this grid of phases. */
const mostPhases = 512

interface Filter {
  readonly phases: number
  /** Input samples from the centre to either end. */
  readonly half: number
  /** By phase, as far as they are made. */
  readonly taps: Float32Array[]
}

const filters = new Map<number, Filter>()

export function toTelephoneRate(samples: Int16Array, rate: number): Int16Array {
  if (rate === target) return samples.slice()
  const resampling = new Resampling(samples, rate)
  while (!resampling.prepare()) continue
  resampling.run(0, resampling.out.length)
  return resampling.out
}

/** Converts in parts, for code that cannot wait for the whole. Samples at the telephone's rate are not copied. */
export class Resampling {
  readonly out: Int16Array
  readonly #samples: Int16Array
  readonly #rate: number
  readonly #filter: Filter | undefined

  constructor(samples: Int16Array, rate: number) {
    this.#samples = samples
    this.#rate = rate
    this.out = rate === target ? samples : new Int16Array(Math.round((samples.length * target) / rate))
    this.#filter = rate === target ? undefined : filterFor(rate)
  }

  /** Makes one more phase of the filter; true when all are there. */
  prepare(): boolean {
    if (this.#filter === undefined || this.#filter.taps.length === this.#filter.phases) return true
    this.#filter.taps.push(phaseOf(this.#filter, this.#rate, this.#filter.taps.length))
    return false
  }

  /** Samples `from` to `to` of `out`, after `prepare` is done. */
  run(from: number, to: number): void {
    const { out } = this
    const samples = this.#samples
    if (this.#filter === undefined) return
    const { phases, half, taps } = this.#filter
    const step = this.#rate / target
    for (let index = from; index < to; index += 1) {
      const position = index * step
      let centre = Math.floor(position)
      let phase = Math.round((position - centre) * phases)
      if (phase === phases) {
        phase = 0
        centre += 1
      }
      const row = taps[phase]!
      const first = centre - half
      const start = Math.max(0, -first)
      const end = Math.min(row.length, samples.length - first)
      let sum = 0
      for (let tap = start; tap < end; tap += 1) sum += row[tap]! * samples[first + tap]!
      out[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
    }
  }
}

function filterFor(rate: number): Filter {
  const known = filters.get(rate)
  if (known !== undefined) return known
  const phases = Math.min(mostPhases, target / commonDivisor(rate, target))
  const filter = { phases, half: Math.ceil(reachOf(rate)), taps: [] }
  // Rates come from files of strangers: what is kept for them stays small.
  if (filters.size >= 16) filters.clear()
  filters.set(rate, filter)
  return filter
}

/** Input samples on each side of the centre that count. */
function reachOf(rate: number): number {
  return (halfWidth * rate) / Math.min(rate, target)
}

function phaseOf({ phases, half }: Filter, rate: number, phase: number): Float32Array {
  const reach = reachOf(rate)
  const turn = (cutoff * Math.min(rate, target)) / rate
  const row = new Float32Array(2 * half + 2)
  let sum = 0
  for (let tap = 0; tap < row.length; tap += 1) {
    const x = tap - half - phase / phases
    const weight = 2 * turn * sinc(2 * turn * x) * kaiser(x / (reach + 1))
    row[tap] = weight
    sum += weight
  }
  return row.map((weight) => weight / sum)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** Kaiser window over -1..1. */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(kaiserBeta * Math.sqrt(1 - x * x)) / bessel(kaiserBeta)
}

/** Modified Bessel function of the first kind, order 0. */
export function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
