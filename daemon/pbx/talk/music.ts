/** What people hear who wait: files of the administrator, or a piece that this program plays itself. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Clip } from '../../../drivers/line.ts'
import { isOpus, joined, readOpus } from '../../../drivers/opus.ts'
import { toTelephoneRate } from '../../../drivers/resample.ts'
import { readWav } from '../../../drivers/wav.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'

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
function composed(): Int16Array {
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

const samplesPerMs = 8
/** One clip of a leg must fit into one frame of the engine's protocol, and all into its memory. */
export const longestMusicMs = 600_000

export interface MusicOptions {
  /** WAV and Opus files, played one after the other. None: music of our own. */
  readonly files: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

export class Music {
  /** The files are read. Until then people hear music of our own. */
  readonly ready: Promise<void>
  readonly #clock: Clock
  readonly #log: Log
  #clip: Clip | null = null

  constructor({ files, clock, log }: MusicOptions) {
    this.#clock = clock
    this.#log = log
    this.ready = this.#read(files)
  }

  /** To be looped, from `offsetMs` on: it goes on while nobody hears it, so that who is often on hold hears more than its beginning. */
  now(): { readonly clip: Clip; readonly offsetMs: number } {
    const clip = (this.#clip ??= clipOf(composed()))
    const lengthMs = Math.floor(clip.samples.length / samplesPerMs)
    return { clip, offsetMs: lengthMs === 0 ? 0 : this.#clock.elapsed() % lengthMs }
  }

  async #read(files: readonly string[]): Promise<void> {
    const pieces: Int16Array[] = []
    for (const file of files) {
      try {
        pieces.push(await samplesOf(await readFile(file)))
      } catch (error) {
        // It was good when the configuration was read.
        this.#log.error({ err: error, file }, 'this file of site.music cannot be read')
      }
    }
    const all = joined(pieces, longestMusicMs * samplesPerMs)
    if (all.length > 0) this.#clip = clipOf(all)
  }
}

async function samplesOf(file: Buffer): Promise<Int16Array> {
  if (isOpus(file)) return readOpus(file)
  const { samples, rate } = readWav(file)
  return toTelephoneRate(samples, rate)
}

function clipOf(samples: Int16Array): Clip {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return { key: `music:${createHash('sha256').update(bytes).digest('hex')}`, samples, text: 'music' }
}
