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
  readonly taps: readonly Float32Array[]
}

const filters = new Map<number, Filter>()

export function toTelephoneRate(samples: Int16Array, rate: number): Int16Array {
  if (rate === target) return samples.slice()
  const { phases, half, taps } = filterFor(rate)
  const out = new Int16Array(Math.round((samples.length * target) / rate))
  const step = rate / target
  for (let index = 0; index < out.length; index += 1) {
    const position = index * step
    let centre = Math.floor(position)
    let phase = Math.round((position - centre) * phases)
    if (phase === phases) {
      phase = 0
      centre += 1
    }
    const row = taps[phase]!
    const first = centre - half
    const from = Math.max(0, -first)
    const to = Math.min(row.length, samples.length - first)
    let sum = 0
    for (let tap = from; tap < to; tap += 1) sum += row[tap]! * samples[first + tap]!
    out[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
  return out
}

function filterFor(rate: number): Filter {
  const known = filters.get(rate)
  if (known !== undefined) return known
  const phases = Math.min(mostPhases, target / commonDivisor(rate, target))
  const lower = Math.min(rate, target)
  const reach = (halfWidth * rate) / lower
  const half = Math.ceil(reach)
  const turn = (cutoff * lower) / rate
  const taps = Array.from({ length: phases }, (_, phase) => {
    const row = new Float32Array(2 * half + 2)
    let sum = 0
    for (let tap = 0; tap < row.length; tap += 1) {
      const x = tap - half - phase / phases
      const weight = 2 * turn * sinc(2 * turn * x) * kaiser(x / (reach + 1))
      row[tap] = weight
      sum += weight
    }
    return row.map((weight) => weight / sum)
  })
  const filter = { phases, half, taps }
  // Rates come from files of strangers: what is kept for them stays small.
  if (filters.size >= 16) filters.clear()
  filters.set(rate, filter)
  return filter
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
