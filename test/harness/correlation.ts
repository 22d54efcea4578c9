/**
 * Where a piece of sound lies in a recording: the normalised cross-correlation at each place, by the fast Fourier transform of blocks (overlap-save).
 * A sum of products at each place took most of the processor of tests that look for words in a minute of sound.
 */
import { fourier } from '../../drivers/steady-noise.ts'

const size = 4096
const transform = fourier(size)

/**
 * Yields the similarity (-1 to 1; 0 where either is silent) of the piece and the recording at each place from `from` on, in stretches. The piece is
 * shorter than half of a block.
 */
export function* similarities(recording: Int16Array, piece: Int16Array, from: number): Generator<{ at: number; values: Float64Array }> {
  const hop = size - piece.length + 1
  const last = recording.length - piece.length
  const [pieceRe, pieceIm, re, im] = Array.from({ length: 4 }, () => new Float64Array(size)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  // Backwards: a convolution is a correlation then.
  piece.forEach((sample, i) => (pieceRe[piece.length - 1 - i] = sample))
  transform(pieceRe, pieceIm)
  const energyOfPiece = piece.reduce((sum, sample) => sum + sample * sample, 0)
  let energy = 0
  for (let i = 0; i < piece.length; i++) energy += (recording[from + i] ?? 0) ** 2
  // Two blocks at a time: the second is the imaginary part of the first.
  for (let at = from; at <= last; at += 2 * hop) {
    for (let i = 0; i < size; i++) {
      re[i] = recording[at + i] ?? 0
      im[i] = recording[at + hop + i] ?? 0
    }
    transform(re, im)
    for (let i = 0; i < size; i++) {
      const a = re[i]! * pieceRe[i]! - im[i]! * pieceIm[i]!
      const b = re[i]! * pieceIm[i]! + im[i]! * pieceRe[i]!
      // The inverse transform is the transform with both parts exchanged.
      re[i] = b
      im[i] = a
    }
    transform(re, im)
    const values = new Float64Array(Math.min(2 * hop, last - at + 1))
    for (let i = 0; i < values.length; i++) {
      const product = (i < hop ? im[i + piece.length - 1]! : re[i - hop + piece.length - 1]!) / size
      values[i] = energy === 0 || energyOfPiece === 0 ? 0 : product / Math.sqrt(energy * energyOfPiece)
      energy += (recording[at + i + piece.length] ?? 0) ** 2 - (recording[at + i] ?? 0) ** 2
    }
    yield { at, values }
  }
}
