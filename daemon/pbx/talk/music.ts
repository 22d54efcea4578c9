/** What people hear who wait: files of the administrator, or a piece that this program plays itself. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Clip } from '../../../drivers/line.ts'
import { toTelephoneRate } from '../../../drivers/resample.ts'
import { readWav } from '../../../drivers/wav.ts'
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { composed } from './composed.ts'

const samplesPerMs = 8
/** One clip of a leg must fit into one frame of the engine's protocol, and all into its memory. */
export const longestMusicMs = 600_000

export interface MusicOptions {
  /** WAV files, played one after the other. None: music of our own. */
  readonly files: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

export class Music {
  readonly #clock: Clock
  readonly #clip: Clip

  constructor({ files, clock, log }: MusicOptions) {
    this.#clock = clock
    this.#clip = clipOf(filesRead(files, log) ?? composed())
  }

  /** To be looped, from `offsetMs` on: it goes on while nobody hears it, so that who is often on hold hears more than its beginning. */
  now(): { readonly clip: Clip; readonly offsetMs: number } {
    const lengthMs = Math.floor(this.#clip.samples.length / samplesPerMs)
    return { clip: this.#clip, offsetMs: lengthMs === 0 ? 0 : this.#clock.elapsed() % lengthMs }
  }
}

/** null where there is nothing to be heard in them. */
function filesRead(files: readonly string[], log: Log): Int16Array | null {
  const pieces = files.map((file) => {
    try {
      const { samples, rate } = readWav(readFileSync(file))
      return toTelephoneRate(samples, rate)
    } catch (error) {
      // It was good when the configuration was read.
      log.error({ err: error, file }, 'this file of site.music cannot be read')
      return new Int16Array(0)
    }
  })
  const length = Math.min(
    longestMusicMs * samplesPerMs,
    pieces.reduce((sum, piece) => sum + piece.length, 0),
  )
  if (length === 0) return null
  const all = new Int16Array(length)
  let at = 0
  for (const piece of pieces) {
    const part = piece.subarray(0, length - at)
    all.set(part, at)
    at += part.length
  }
  return all
}

function clipOf(samples: Int16Array): Clip {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return { key: `music:${createHash('sha256').update(bytes).digest('hex')}`, samples, text: 'music' }
}
