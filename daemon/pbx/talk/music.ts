/** What people hear who wait: files of the administrator, or a piece that this program plays itself. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Clip } from '../../../drivers/line.ts'
import { isOpus, joined, readOpus } from '../../../drivers/opus.ts'
import { toTelephoneRate } from '../../../drivers/resample.ts'
import { readWav } from '../../../drivers/wav.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { composed } from './composed.ts'

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
