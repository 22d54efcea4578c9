/**
 * Music of our own: slow broken chords over a bass, in a bell-like voice between 160 and 1200 Hz, where a telephone is at its best, and
 * quiet enough to be talked over. Its end leads to its beginning.
 */

const rate = 8000
const beatMs = 500
/** MIDI numbers: a bass, and a chord whose notes follow one another up and down. */
const bars: readonly { readonly bass: number; readonly chord: readonly number[] }[] = [
  { bass: 53, chord: [65, 69, 72, 76] },
  { bass: 57, chord: [64, 67, 72, 76] },
  { bass: 58, chord: [65, 70, 74, 77] },
  { bass: 55, chord: [65, 70, 74, 79] },
  { bass: 60, chord: [64, 67, 72, 76] },
  { bass: 57, chord: [64, 69, 72, 79] },
  { bass: 58, chord: [62, 65, 70, 77] },
  { bass: 60, chord: [65, 67, 72, 74] },
]
const order = [0, 1, 2, 3, 2, 1, 3, 2]
/** Of full scale, for one note. */
const loudness = 0.07

/** One round, 8 kHz. */
export function composed(): Int16Array {
  const noteSamples = (beatMs * rate) / 1000
  const sum = new Float64Array(bars.length * order.length * noteSamples)
  bars.forEach(({ bass, chord }, bar) => {
    const start = bar * order.length * noteSamples
    strike(sum, start, bass, 4, loudness * 1.2)
    order.forEach((note, beat) => strike(sum, start + beat * noteSamples, chord[note]!, 1.6, loudness))
  })
  return Int16Array.from(sum, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767))
}

/** A bell that fades; what sounds beyond the end sounds at the beginning. */
function strike(sum: Float64Array, at: number, note: number, seconds: number, level: number): void {
  const hz = 440 * 2 ** ((note - 69) / 12)
  const length = Math.round(seconds * rate)
  const step = (2 * Math.PI * hz) / rate
  for (let i = 0; i < length; i += 1) {
    const rise = Math.min(1, i / 80)
    const fall = (1 - i / length) * Math.exp((-3 * i) / length)
    const voice = Math.sin(step * i) + 0.25 * Math.sin(2 * step * i) + 0.08 * Math.sin(3 * step * i)
    sum[(at + i) % sum.length]! += level * rise * fall * voice
  }
}
