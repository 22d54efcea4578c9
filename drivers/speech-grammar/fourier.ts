/** Discrete Fourier transform of one size, in place, radix 2. */

export type Transform = (real: Float64Array, imaginary: Float64Array) => void

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
