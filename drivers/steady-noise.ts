/**
 * Steady noise of a line: how loud it is against the voice, and an utterance without it (Wiener's filter in short spectra, with the
 * decision-directed estimate of Ephraim and Malah, 1984). The noise is what the quietest parts of the utterance hold.
 */

/** Discrete Fourier transform of one size, in place, radix 2. */

type Transform = (real: Float64Array, imaginary: Float64Array) => void

/** The inverse is the same with real and imaginary part exchanged, over `size`. */
export function fourier(size: number): Transform {
  const cosines = Float64Array.from({ length: size / 2 }, (_, at) => Math.cos((2 * Math.PI * at) / size))
  const sines = Float64Array.from({ length: size / 2 }, (_, at) => Math.sin((2 * Math.PI * at) / size))
  const bits = Math.log2(size)
  const reversed = Uint16Array.from({ length: size }, (_, at) => {
    let out = 0
    for (let bit = 0; bit < bits; bit += 1) out |= ((at >> bit) & 1) << (bits - 1 - bit)
    return out
  })
  return (real, imaginary) => {
    for (let at = 0; at < size; at += 1) {
      const other = reversed[at]!
      if (other <= at) continue
      const re = real[at]!
      const im = imaginary[at]!
      real[at] = real[other]!
      imaginary[at] = imaginary[other]!
      real[other] = re
      imaginary[other] = im
    }
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half)
      for (let from = 0; from < size; from += 2 * half) {
        for (let n = 0; n < half; n += 1) {
          const low = from + n
          const high = low + half
          const cosine = cosines[n * step]!
          const sine = sines[n * step]!
          const re = real[high]! * cosine + imaginary[high]! * sine
          const im = imaginary[high]! * cosine - real[high]! * sine
          real[high] = real[low]! - re
          imaginary[high] = imaginary[low]! - im
          real[low]! += re
          imaginary[low]! += im
        }
      }
    }
  }
}

/** 32 ms at 8 kHz, half of it new in each. */
const size = 256
const hop = size / 2
const bins = size / 2 + 1
/** Part of an utterance that is noise alone, in the pauses before, between and after the words; and part that is voice. */
const quietPart = 0.15
const voicePart = 0.4
/** The noise is taken for so many times the power that was found, */
const caution = 1.4
/** the part of a sound that was there before goes so far into what is expected now, */
const smoothing = 0.95
/** and so much is left even of noise: holes sound like consonants to the decoder. */
const leastGain = 0.08
/** 10 and 20 ms. */
const shortWindow = 80
const window = 160
/** Silence that is left around a voice, in short windows: soft beginnings and ends belong to it. */
const margin = 20
/** A voice is so much louder than the quietest tenth, or is within so much of the loudest. */
const aboveQuietDb = 6
const belowLoudDb = 40

const transform = fourier(size)
const slope = Float64Array.from({ length: size }, (_, at) => Math.sin((Math.PI * (at + 0.5)) / size))

/** Decibels of the voice above the noise of the line; far below 0 where all is equally loud. */
export function signalToNoiseDb(samples: Int16Array): number {
  const powers = powersOf(samples, window).toSorted()
  if (powers.length < 4) return Number.NEGATIVE_INFINITY
  const noise = mean(powers.subarray(0, Math.max(3, Math.floor(powers.length * quietPart))))
  const voice = mean(powers.subarray(Math.floor(powers.length * (1 - voicePart))))
  return 10 * Math.log10(Math.max(1e-3, voice / noise - 1))
}

/** From a little before to a little after the voice: silence costs the decoder as much time as words. */
export function withoutSilence(samples: Int16Array): Int16Array {
  const levels = powersOf(samples, shortWindow).map((power) => 10 * Math.log10(power))
  const ordered = levels.toSorted()
  const at = (part: number): number => ordered[Math.floor((ordered.length - 1) * part)] ?? 0
  const voice = (level: number): boolean => level > Math.max(at(0.1) + aboveQuietDb, at(0.95) - belowLoudDb)
  const first = levels.findIndex(voice)
  if (first < 0) return samples
  return samples.slice(Math.max(0, first - margin) * shortWindow, (levels.findLastIndex(voice) + margin + 1) * shortWindow)
}

/** Of the power in a frame so much lies in the two strongest tones; of a voice less, whatever the vowel. */
const tonePart = 0.9
/** Bins on either side that a tone fills. */
const toneReach = 2
/** Frames this much quieter than the loudest, as powers, do not count. */
const loudPart = 0.01

/** Whether it is one or two tones (ringback, busy, a fax machine, keys): three quarters of its loud frames are hardly anything else. */
export function isTone(samples: Int16Array): boolean {
  const frames: { readonly re: Float64Array; readonly power: number }[] = []
  for (let from = 0; from + size <= samples.length; from += hop) {
    // The square of the slope is a window with low side lobes. The heights, where voices are weak, are raised.
    const re = Float64Array.from(slope, (part, at) => (samples[from + at]! - 0.9 * (samples[from + at - 1] ?? 0)) * part ** 2)
    // Half of the bins hold half of the power.
    frames.push({ re, power: (size / 2) * re.reduce((sum, one) => sum + one ** 2, 1) })
  }
  const least = loudPart * Math.max(0, ...frames.map(({ power }) => power))
  const loud = frames.filter(({ power }) => power > least)
  let left = 0.25 * loud.length
  // A voice is known by its first few frames.
  return loud.length > 0 && loud.every(({ re }) => tonePartOf(re) >= tonePart || (left -= 1) >= 0)
}

function tonePartOf(re: Float64Array): number {
  const im = new Float64Array(size)
  transform(re, im)
  const powers = Float64Array.from({ length: size / 2 }, (_, bin) => re[bin]! ** 2 + im[bin]! ** 2)
  const power = powers.reduce((sum, one) => sum + one, 1)
  return (takeStrongest(powers) + takeStrongest(powers)) / power
}

/** Power of the strongest tone, which is gone afterwards. */
function takeStrongest(powers: Float64Array): number {
  const at = powers.indexOf(Math.max(...powers))
  const tone = powers.subarray(Math.max(0, at - toneReach), at + toneReach + 1)
  const power = tone.reduce((sum, one) => sum + one, 0)
  tone.fill(0)
  return power
}

/** The same utterance; what was noise is quiet. */
export function withoutNoise(samples: Int16Array): Int16Array {
  const frames = Math.ceil(samples.length / hop) + 1
  const real = Array.from({ length: frames }, () => new Float64Array(size))
  const imaginary = Array.from({ length: frames }, () => new Float64Array(size))
  const powers = new Float64Array(frames)
  const padded = new Float64Array((frames + 1) * hop)
  padded.set(samples, hop)
  for (let frame = 0; frame < frames; frame += 1) {
    const re = real[frame]!
    for (let at = 0; at < size; at += 1) re[at] = padded[frame * hop + at]! * slope[at]!
    transform(re, imaginary[frame]!)
    for (let bin = 0; bin < bins; bin += 1) powers[frame]! += re[bin]! ** 2 + imaginary[frame]![bin]! ** 2
  }
  const noise = noiseOf(real, imaginary, powers)
  const out = new Float64Array((frames + 1) * hop)
  const before = new Float64Array(bins)
  for (let frame = 0; frame < frames; frame += 1) {
    const re = real[frame]!
    const im = imaginary[frame]!
    for (let bin = 0; bin < bins; bin += 1) {
      const power = re[bin]! ** 2 + im[bin]! ** 2
      const posterior = power / (noise[bin]! * caution)
      const prior = smoothing * before[bin]! + (1 - smoothing) * Math.max(0, posterior - 1)
      const gain = Math.max(leastGain, prior / (1 + prior))
      before[bin] = gain * gain * posterior
      re[bin]! *= gain
      im[bin]! *= gain
      if (bin === 0 || bin === size / 2) continue
      re[size - bin]! *= gain
      im[size - bin]! *= gain
    }
    transform(im, re)
    for (let at = 0; at < size; at += 1) out[frame * hop + at]! += (re[at]! / size) * slope[at]!
  }
  return Int16Array.from({ length: samples.length }, (_, at) => Math.max(-32_768, Math.min(32_767, Math.round(out[at + hop]!))))
}

/** Mean power by bin of the quietest frames. The first and the last are half empty. */
function noiseOf(real: readonly Float64Array[], imaginary: readonly Float64Array[], powers: Float64Array): Float64Array {
  const whole = Array.from({ length: Math.max(0, powers.length - 3) }, (_, at) => at + 1)
  const quiet = whole.toSorted((a, b) => powers[a]! - powers[b]!).slice(0, Math.max(4, Math.floor(whole.length * quietPart)))
  const noise = new Float64Array(bins)
  for (const frame of quiet)
    for (let bin = 0; bin < bins; bin += 1) noise[bin]! += (real[frame]![bin]! ** 2 + imaginary[frame]![bin]! ** 2) / quiet.length
  // Neighbours are alike, and the mean of a few frames is rough.
  return noise.map((_, bin) => {
    const some = noise.subarray(Math.max(0, bin - 2), bin + 3)
    return some.reduce((sum, power) => sum + power, 1) / some.length
  })
}

/** Mean power of each window, never 0. */
function powersOf(samples: Int16Array, length: number): Float64Array {
  return Float64Array.from({ length: Math.floor(samples.length / length) }, (_, frame) => {
    let sum = 0
    for (let at = frame * length; at < (frame + 1) * length; at += 1) sum += samples[at]! ** 2
    return sum / length + 1
  })
}

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
