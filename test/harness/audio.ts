/**
 * Listening for the end-to-end tests: what a recording of received samples holds. PCM is 8 kHz mono signed 16-bit.
 * Nothing here comes from the product, so that a fault of the product cannot hide behind the same fault of the test.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { similarities } from './correlation.ts'

export const rate = 8000

/** G.711 mu-law byte to linear (ITU-T G.711 table 2b, 14-bit values scaled to 16). */
export function ulawToLinear(byte: number): number {
  const u = ~byte & 0xff
  const magnitude = ((((u & 0x0f) << 3) + 0x84) << ((u & 0x70) >> 4)) - 0x84
  return u & 0x80 ? -magnitude : magnitude
}

/** Linear to G.711 mu-law byte. */
export function linearToUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const value = Math.min(Math.abs(sample), 32635) + 0x84
  const exponent = Math.max(0, 31 - Math.clz32(value) - 7)
  return ~(sign | (exponent << 4) | ((value >> (exponent + 3)) & 0x0f)) & 0xff
}

/** G.711 A-law byte to linear (ITU-T G.711 table 1b). */
export function alawToLinear(byte: number): number {
  const a = byte ^ 0x55
  const segment = (a & 0x70) >> 4
  const base = ((a & 0x0f) << 4) + 8
  const magnitude = segment === 0 ? base : (base + 0x100) << (segment - 1)
  return a & 0x80 ? magnitude : -magnitude
}

/** Linear to G.711 A-law byte. */
export function linearToAlaw(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0
  const value = Math.min(Math.abs(sample), 32767) >> 4
  const segment = value < 32 ? (value < 16 ? 0 : 1) : 31 - Math.clz32(value) - 3
  const step = segment < 2 ? value & 0x0f : (value >> (segment - 1)) & 0x0f
  return (sign | (segment << 4) | step) ^ 0x55
}

/** Power of one frequency by Goertzel, as dB below a full-scale sine. */
export function toneLevel(samples: Int16Array, hz: number): number {
  const k = 2 * Math.cos((2 * Math.PI * hz) / rate)
  let a = 0
  let b = 0
  for (const s of samples) [a, b] = [s / 32768 + k * a - b, a]
  const power = (a * a + b * b - k * a * b) / ((samples.length * samples.length) / 4)
  return 10 * Math.log10(power + 1e-12)
}

export function rms(samples: Int16Array): number {
  let sum = 0
  for (const s of samples) sum += s * s
  return Math.sqrt(sum / Math.max(1, samples.length))
}

/** A sine, or the sum of several, at a level that leaves headroom. Whole numbers of Hz come again after a second: a minute costs no more. */
export function tone(hz: number | readonly number[], ms: number, amplitude = 8000): Int16Array {
  const list = typeof hz === 'number' ? [hz] : hz
  const samples = new Int16Array((ms * rate) / 1000)
  const fresh = list.every((f) => Number.isInteger(f)) ? Math.min(rate, samples.length) : samples.length
  for (const f of list) {
    const turn = (2 * Math.PI * f) / rate
    for (let i = 0; i < fresh; i++) samples[i]! += Math.round((amplitude / list.length) * Math.sin(turn * i))
  }
  for (let at = fresh; at < samples.length; at += fresh) samples.set(samples.subarray(0, Math.min(fresh, samples.length - at)), at)
  return samples
}

export function silence(ms: number): Int16Array {
  return new Int16Array((ms * rate) / 1000)
}

export function concat(...parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((n, p) => n + p.length, 0))
  let at = 0
  for (const p of parts) {
    all.set(p, at)
    at += p.length
  }
  return all
}

const keypad = '123A456B789C*0#D'
/** The two tones of a key (ITU-T Q.23). */
export function keyTone(key: string, ms: number): Int16Array {
  const i = keypad.indexOf(key)
  return tone([[697, 770, 852, 941][i >> 2] ?? 0, [1209, 1336, 1477, 1633][i & 3] ?? 0], ms, 14000)
}

/** Reads 16-bit mono PCM WAV of any rate; throws on anything else. */
export function readWav(data: Buffer): { samples: Int16Array; sampleRate: number } {
  if (data.toString('latin1', 0, 4) !== 'RIFF' || data.toString('latin1', 8, 12) !== 'WAVE') throw new Error('not a WAV file')
  let sampleRate = 0
  for (let at = 12; at + 8 <= data.length;) {
    const id = data.toString('latin1', at, at + 4)
    const size = Math.min(data.readUInt32LE(at + 4), data.length - at - 8)
    if (id === 'fmt ') {
      if (data.readUInt16LE(at + 8) !== 1 || data.readUInt16LE(at + 10) !== 1 || data.readUInt16LE(at + 22) !== 16)
        throw new Error('not 16-bit mono PCM')
      sampleRate = data.readUInt32LE(at + 12)
    }
    if (id === 'data') return { samples: Int16Array.from({ length: size >> 1 }, (_, i) => data.readInt16LE(at + 8 + i * 2)), sampleRate }
    at += 8 + size + (size & 1)
  }
  throw new Error('no data chunk')
}

export function writeWav(samples: Int16Array, sampleRate = rate): Buffer {
  const h = Buffer.alloc(44)
  h.write('RIFF', 0)
  h.writeUInt32LE(36 + samples.length * 2, 4)
  h.write('WAVEfmt ', 8)
  h.writeUInt32LE(16, 16)
  h.writeUInt16LE(1, 20)
  h.writeUInt16LE(1, 22)
  h.writeUInt32LE(sampleRate, 24)
  h.writeUInt32LE(sampleRate * 2, 28)
  h.writeUInt16LE(2, 32)
  h.writeUInt16LE(16, 34)
  h.write('data', 36)
  h.writeUInt32LE(samples.length * 2, 40)
  return Buffer.concat([h, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)])
}

/** Windowed-sinc conversion to 8 kHz. */
export function toEightKhz(samples: Int16Array, sampleRate: number): Int16Array {
  if (sampleRate === rate) return samples
  const step = sampleRate / rate
  const half = Math.ceil(16 * step)
  const weightAt = (off: number): number => {
    const x = (off / step) * Math.PI * 0.94
    return (x === 0 ? 1 : Math.sin(x) / x) * (0.5 + 0.5 * Math.cos((Math.PI * off) / half))
  }
  // Of a whole step the weights are the same each time.
  const same = Number.isInteger(step) ? Float64Array.from({ length: 2 * half + 1 }, (_, i) => weightAt(i - half)) : null
  const out = new Int16Array(Math.floor(samples.length / step))
  for (let n = 0; n < out.length; n++) {
    const centre = n * step
    const first = Math.ceil(centre - half)
    let sum = 0
    let weight = 0
    for (let i = first; i <= centre + half; i++) {
      const w = same === null ? weightAt(i - centre) : same[i - first]!
      sum += (samples[i] ?? 0) * w
      weight += w
    }
    out[n] = Math.max(-32768, Math.min(32767, Math.round(sum / weight)))
  }
  return out
}

const spoken = new Map<string, Int16Array>()
/** The text as Debian's flite speaks it with the voice `slt`, at 8 kHz, without the silence at both ends. */
export function speech(text: string): Int16Array {
  const known = spoken.get(text)
  if (known) return known
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-flite-'))
  try {
    execFileSync('flite', ['-voice', 'slt', '-t', text, '-o', join(dir, 'x.wav')])
    const { samples, sampleRate } = readWav(readFileSync(join(dir, 'x.wav')))
    const clip = trim(toEightKhz(samples, sampleRate))
    spoken.set(text, clip)
    return clip
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** Without the quiet at both ends. */
export function trim(samples: Int16Array, floor = 200): Int16Array {
  let from = 0
  let to = samples.length
  while (from < to && Math.abs(samples[from] ?? 0) < floor) from++
  while (to > from && Math.abs(samples[to - 1] ?? 0) < floor) to--
  return samples.subarray(from, to)
}

export interface Heard {
  /** Where the clip's first sample lies in the recording, milliseconds; -1 when it was not heard at all. */
  readonly atMs: number
  /** How much of the clip was heard without a break from its beginning, milliseconds. */
  readonly heardMs: number
  readonly clipMs: number
  readonly whole: boolean
}

const windowSize = 800
function similarity(a: Int16Array, at: number, b: Int16Array, from: number, length: number): number {
  let ab = 0
  let aa = 0
  let bb = 0
  for (let i = 0; i < length; i++) {
    const x = a[at + i] ?? 0
    const y = b[from + i] ?? 0
    ab += x * y
    aa += x * x
    bb += y * y
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb)
}

/** Where the piece is best heard, of the first second in which it is heard well; -1 where it is not above the threshold at all. */
function bestPlace(recording: Int16Array, piece: Int16Array, from: number, threshold: number): number {
  let place = -1
  let best = threshold
  for (const { at, values } of similarities(recording, piece, from)) {
    for (let i = 0; i < values.length; i++) {
      // Of places that are alike, as in a tone, the first.
      if (values[i]! > best + 1e-9) [best, place] = [values[i]!, at + i]
      else if (place >= 0 && best > 0.8 && at + i > place + rate) return place
    }
  }
  return place
}

/**
 * Finds a clip in a recording by normalised cross-correlation of 100 ms windows: the loudest window of the first 400 ms
 * is searched everywhere, the others are then expected at their place (+-15 ms: a jitter buffer may stretch).
 */
export function findClip(recording: Int16Array, clip: Int16Array, fromMs = 0, threshold = 0.6): Heard {
  const clipMs = (clip.length * 1000) / rate
  const windows = Math.floor(clip.length / windowSize)
  let anchor = 0
  for (let w = 1; w < Math.min(4, windows); w++) {
    const of = (n: number) => rms(clip.subarray(n * windowSize, (n + 1) * windowSize))
    if (of(w) > of(anchor)) anchor = w
  }
  const place = bestPlace(
    recording,
    clip.subarray(anchor * windowSize, (anchor + 1) * windowSize),
    Math.round((fromMs * rate) / 1000),
    threshold,
  )
  if (place < 0) return { atMs: -1, heardMs: 0, clipMs, whole: false }
  let drift = 0
  let heard = 0
  for (let w = 0; w < windows; w++) {
    const expected = place + (w - anchor) * windowSize
    const quiet = rms(clip.subarray(w * windowSize, (w + 1) * windowSize)) < 300
    let found = quiet
    for (let d = 0; d <= 120 && !found; d++) {
      for (const at of [expected + drift + d, expected + drift - d]) {
        if (at >= 0 && similarity(recording, at, clip, w * windowSize, windowSize) > threshold) {
          found = true
          drift = at - expected
          break
        }
      }
    }
    if (!found) break
    heard = w + 1
  }
  if (heard < Math.min(2, windows)) return { atMs: -1, heardMs: 0, clipMs, whole: false }
  return {
    atMs: ((place - anchor * windowSize) * 1000) / rate,
    heardMs: (heard * windowSize * 1000) / rate,
    clipMs,
    whole: heard >= windows,
  }
}
