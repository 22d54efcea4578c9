/**
 * Utterances as they come over a telephone line: synthesised, through the line's band and µ-law, with noise where wanted.
 * What was synthesised is kept in `.cache/speech-corpus`.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../../daemon/base/root.ts'
import { createEspeak, createFlite } from '../../../drivers/speech-embedded/engines.ts'
import { toTelephoneRate } from '../../../drivers/resample.ts'
import { readWav } from '../../../drivers/wav.ts'
import type { Kind } from './phrases.ts'

/** Random choices that a seed repeats. */

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 to 1, 1 excluded (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** 0 to `below` - 1. */
  integer(below: number): number {
    return Math.floor(this.next() * below)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly T[]): T {
    return values[this.integer(values.length)]!
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.integer(256)))
  }
}

export type Voice = 'slt' | 'rms' | 'awb' | 'kal16' | 'espeak'
export type Noise = 'quiet' | 'white' | 'car'

export const voices: readonly Voice[] = ['slt', 'rms', 'awb', 'kal16', 'espeak']
export const defaultCache = join(root, '.cache/speech-corpus')

export interface Utterance {
  readonly text: string
  readonly kind: Kind
  /** Who says it: a voice, or the name of the folder it was read from. */
  readonly voice: string
  /** 8 kHz. */
  readonly samples: Int16Array
}

const rate = 8000
const leadMs = 250
const trailMs = 500
/** A line without any noise is never quite silent. */
const floorRms = 12

const flite = createFlite()
const espeak = createEspeak()

/** One phrase in one voice, with the silence around it that an endpoint detector leaves. */
export async function speak(text: string, kind: Kind, voice: Voice, cache = defaultCache): Promise<Utterance> {
  const name = createHash('sha256').update(`${voice} ${text}`).digest('hex').slice(0, 24)
  const file = join(cache, `${name}.s16`)
  const kept = await readFile(file).catch(() => null)
  const spoken = kept === null ? await synthesise(text, voice) : new Int16Array(Uint8Array.from(kept).buffer)
  if (kept === null) {
    await mkdir(cache, { recursive: true })
    await writeFile(`${file}.${process.pid}`, new Uint8Array(spoken.buffer, spoken.byteOffset, spoken.byteLength))
    await rename(`${file}.${process.pid}`, file)
  }
  const around = new Int16Array(((leadMs + trailMs) * rate) / 1000 + spoken.length)
  around.set(spoken, (leadMs * rate) / 1000)
  return { text, kind, voice, samples: around }
}

function synthesise(text: string, voice: Voice): Promise<Int16Array> {
  const request = { text, language: 'en-US', rate: 1, voice: voice === 'espeak' ? '' : voice }
  return (voice === 'espeak' ? espeak : flite).synthesise(request)
}

/** The same utterance over a line of this kind; the same seed gives the same noise. */
export function overLine(utterance: Utterance, noise: Noise, snrDb: number, seed: number): Utterance {
  const { samples } = utterance
  const rms = noise === 'quiet' ? floorRms : Math.max(floorRms, loudness(samples) / 10 ** (snrDb / 20))
  const added = makeNoise(noise, samples.length, rms, seed)
  return { ...utterance, samples: samples.map((sample, at) => companded(clip(sample + added[at]!))) }
}

/** `car`: low-pass at about 500 Hz, swelling and fading a few times a second. */
export function makeNoise(noise: Noise, length: number, rms: number, seed: number): Float32Array {
  const random = new Random(seed)
  const out = new Float32Array(length)
  let low = 0
  let lower = 0
  for (let at = 0; at < length; at += 1) {
    // Six of them come close enough to a bell curve.
    let white = -3
    for (let n = 0; n < 6; n += 1) white += random.next()
    low += 0.33 * (white - low)
    lower += 0.33 * (low - lower)
    out[at] = noise === 'car' ? lower * (1 + 0.5 * Math.sin((at * 2 * Math.PI * 3) / rate)) : white
  }
  const scale = rms / Math.max(1e-9, Math.sqrt(out.reduce((sum, x) => sum + x * x, 0) / Math.max(1, length)))
  return out.map((x) => x * scale)
}

/** Root mean square of what is not silence. */
function loudness(samples: Int16Array): number {
  let sum = 0
  let count = 0
  for (const sample of samples) {
    if (sample === 0) continue
    sum += sample * sample
    count += 1
  }
  return Math.sqrt(sum / Math.max(1, count))
}

const clip = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)))

/** µ-law and back (ITU-T G.711). */
function companded(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), 32_635) + 132
  const exponent = Math.floor(Math.log2(magnitude)) - 7
  const step = 2 ** (exponent + 3)
  const decoded = (Math.floor(magnitude / step) + 0.5) * step - 132
  return sample < 0 ? -decoded : decoded
}

/** Recordings of people: WAV files next to `transcripts.tsv`, each of whose lines is file, text and kind, with tabs between. */
export async function readFixtures(directory: string): Promise<Utterance[]> {
  const lines = (await readFile(join(directory, 'transcripts.tsv'), 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return Promise.all(
    lines.map(async (line) => {
      const [file = '', text = '', kind = 'command'] = line.split('\t').map((field) => field.trim())
      const wav = readWav(await readFile(join(directory, file)))
      return { text, kind: kind as Kind, voice: 'recorded', samples: toTelephoneRate(wav.samples, wav.rate) }
    }),
  )
}
