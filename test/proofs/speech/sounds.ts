/** What a line carries that is nobody's speech: tones of the network and of machines, clicks, music on hold. 8 kHz. */
import { makeNoise, Random } from '../../../scripts/cli/selftest/corpus.ts'

const rate = 8000
type Wave = Float32Array

/** Amplitude of a sine wave at so many dBFS (RMS, full scale a square wave). */
const amplitude = (db: number): number => 32_768 * 10 ** (db / 20) * Math.SQRT2

/** Tones on and off: seconds of each, over and over. */
function cadence(seconds: number, frequencies: readonly number[], on: number, off: number, db = -16): Wave {
  const each = amplitude(db) / Math.sqrt(frequencies.length)
  return Float32Array.from({ length: seconds * rate }, (_, n) => {
    const inCycle = (n / rate) % (on + off)
    if (inCycle >= on) return 0
    return frequencies.reduce((sum, hz) => sum + each * Math.sin((2 * Math.PI * hz * n) / rate), 0)
  })
}

/** All sixteen keys in turn, 100 ms each, a pause of 150 ms between them. */
function keys(seconds: number): Wave {
  const rows = [697, 770, 852, 941]
  const columns = [1209, 1336, 1477, 1633]
  return Float32Array.from({ length: seconds * rate }, (_, n) => {
    const key = Math.floor(n / 2000)
    if (n % 2000 >= 800) return 0
    const tones = [rows[Math.floor(key / 4) % 4]!, columns[key % 4]!]
    return tones.reduce((sum, hz) => sum + (amplitude(-13) / Math.SQRT2) * Math.sin((2 * Math.PI * hz * n) / rate), 0)
  })
}

/** Two a second at random times, 1 to 5 ms long. */
function clicks(seconds: number, seed: number): Wave {
  const random = new Random(seed)
  const out = new Float32Array(seconds * rate)
  for (let click = 0; click < seconds * 2; click += 1) {
    const from = Math.floor(random.next() * (out.length - 50))
    const length = 8 + Math.floor(random.next() * 32)
    for (let at = 0; at < length; at += 1) out[from + at] = (random.next() * 2 - 1) * 20_000 * Math.exp((-4 * at) / length)
  }
  return out
}

export interface Piece {
  /** Beats a minute. */
  readonly tempo: number
  /** Chords as semitones above the key note, one for each bar of four beats. */
  readonly chords: readonly (readonly number[])[]
  /** Note of the key in Hz. */
  readonly key: number
  /** Notes a beat of the melody; 0 for none. */
  readonly melody: number
  readonly drums: boolean
  /** Seconds in which a note dies away, and its overtones. */
  readonly decay: number
  readonly overtones: readonly number[]
  /** Of the pitch, as of a violin or a voice: depth as a part of it. */
  readonly vibrato: number
}

/** Music as its makers would not like it, but with what detectors go by: chords, a tune, a beat, swelling and dying notes. */
function music(seconds: number, piece: Piece, seed: number, db = -20): Wave {
  const random = new Random(seed)
  const out = new Float32Array(seconds * rate)
  const beat = 60 / piece.tempo
  const note = (at: number, semitones: number, length: number, loud: number): void => {
    const hz = piece.key * 2 ** (semitones / 12)
    let phase = 0
    for (let n = Math.floor(at * rate); n < Math.min(out.length, Math.floor((at + length) * rate)); n += 1) {
      const t = n / rate - at
      phase += (2 * Math.PI * hz * (1 + piece.vibrato * Math.sin(2 * Math.PI * 5.5 * t))) / rate
      const shape = Math.min(1, t / 0.01) * Math.exp(-t / piece.decay) * Math.min(1, (length - t) / 0.02)
      piece.overtones.forEach((part, index) => {
        if (hz * (index + 1) < 3800) out[n]! += loud * part * shape * Math.sin(phase * (index + 1))
      })
    }
  }
  for (let bar = 0; bar * beat * 4 < seconds; bar += 1) {
    const chord = piece.chords[bar % piece.chords.length]!
    for (const semitones of chord) note(bar * beat * 4, semitones, beat * 4, 0.5)
    for (let step = 0; step < piece.melody * 4; step += 1) {
      if (random.next() < 0.2) continue
      const semitones = chord[Math.floor(random.next() * chord.length)]! + 12 + (random.next() < 0.3 ? 2 : 0)
      note((bar * 4 + step / piece.melody) * beat, semitones, beat / piece.melody, 1)
    }
    if (!piece.drums) continue
    for (let step = 0; step < 8; step += 1) {
      const from = Math.floor((bar * 4 + step / 2) * beat * rate)
      for (let n = 0; n < 640 && from + n < out.length; n += 1) {
        const noise = (random.next() * 2 - 1) * Math.exp(-n / (step % 4 === 2 ? 160 : 40))
        const drum = step % 4 === 0 ? Math.sin((2 * Math.PI * 150 * n) / rate) * Math.exp(-n / 300) : 0
        out[from + n]! += noise * 0.7 + drum * 2
      }
    }
  }
  const rms = Math.sqrt(out.reduce((sum, x) => sum + x * x, 0) / out.length)
  return out.map((x) => (x * 32_768 * 10 ** (db / 20)) / rms)
}

const major = [
  [0, 4, 7],
  [5, 9, 12],
  [7, 11, 14],
  [0, 4, 7],
]
const minor = [
  [0, 3, 7],
  [-4, 0, 3],
  [3, 7, 10],
  [-2, 2, 5],
]
const piano = { decay: 0.6, overtones: [1, 0.5, 0.3, 0.15, 0.08], vibrato: 0 }
const strings = { decay: 20, overtones: [1, 0.7, 0.5, 0.4, 0.3, 0.2, 0.15], vibrato: 0.006 }
const flute = { decay: 5, overtones: [1, 0.15, 0.05], vibrato: 0.008 }

/** By name, in the order of the table. */
export function sounds(seconds: number): ReadonlyMap<string, Wave> {
  const white = (db: number, seed: number) => makeNoise('white', seconds * rate, 32_768 * 10 ** (db / 20), seed)
  return new Map<string, Wave>([
    ['silence', new Float32Array(seconds * rate)],
    ['white noise -50 dBFS', white(-50, 1)],
    ['white noise -30 dBFS', white(-30, 2)],
    ['car noise -30 dBFS', makeNoise('car', seconds * rate, 32_768 * 10 ** (-30 / 20), 3)],
    ['ringback 440+480 Hz, 2 s/4 s', cadence(seconds, [440, 480], 2, 4)],
    ['ringback 425 Hz, 1 s/4 s', cadence(seconds, [425], 1, 4)],
    ['busy 480+620 Hz, 0.5 s/0.5 s', cadence(seconds, [480, 620], 0.5, 0.5)],
    ['busy 425 Hz, 0.25 s/0.25 s', cadence(seconds, [425], 0.25, 0.25)],
    ['dial tone 350+440 Hz', cadence(seconds, [350, 440], 1, 0)],
    ['DTMF, all keys', keys(seconds)],
    ['fax CNG 1100 Hz, 0.5 s/3 s', cadence(seconds, [1100], 0.5, 3)],
    ['fax CED 2100 Hz', cadence(seconds, [2100], 3, 1)],
    ['clicks, 2 a second', clicks(seconds, 4)],
    ['music: piano, slow', music(seconds, { tempo: 72, chords: major, key: 196, melody: 1, drums: false, ...piano }, 5)],
    ['music: piano and drums', music(seconds, { tempo: 112, chords: minor, key: 220, melody: 2, drums: true, ...piano }, 6)],
    ['music: strings, no tune', music(seconds, { tempo: 66, chords: minor, key: 146.8, melody: 0, drums: false, ...strings }, 7)],
    ['music: strings with a tune', music(seconds, { tempo: 84, chords: major, key: 174.6, melody: 1, drums: false, ...strings }, 8)],
    ['music: flute', music(seconds, { tempo: 96, chords: major, key: 261.6, melody: 2, drums: false, ...flute }, 9)],
    ['music: dance', music(seconds, { tempo: 126, chords: minor, key: 110, melody: 4, drums: true, ...strings }, 10)],
  ])
}
