/**
 * A WAV file of an application to telephone audio, a few milliseconds at a time: ten megabytes are a second of work, and calls share
 * the thread with it.
 */
import { createHash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { Resampling } from '../../drivers/resample.ts'
import { wavFormat, WavError } from '../../drivers/wav.ts'

/** What is worth decoding: other rates would each want a filter of their own. */
const rates = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
/** Work between two breaths. */
const sliceMs = 4
const sliceSamples = 1024

export interface Decoded {
  /** 8 kHz, mono. */
  readonly samples: Int16Array
  /** SHA-256 of them. */
  readonly key: string
  /** There was more than `mostSeconds`. */
  readonly cut: boolean
}

/**
 * `chunks`: the file as it came.
 * @throws WavError saying what is wrong in words for a person
 */
export async function decodeWav(chunks: readonly Buffer[], mostSeconds: number): Promise<Decoded> {
  const slices = new Slices()
  const file = Buffer.allocUnsafe(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let filled = 0
  for (const chunk of chunks) {
    filled += chunk.copy(file, filled)
    await slices.next()
  }
  const { rate, length, read } = wavFormat(file)
  if (!rates.includes(rate)) {
    throw new WavError(`The WAV file has ${rate} samples a second; use 8000, 16000, 22050, 24000, 32000, 44100 or 48000`)
  }
  const samples = new Int16Array(Math.min(length, mostSeconds * rate))
  for (let at = 0; at < samples.length; at += sliceSamples) {
    read(samples, at, Math.min(samples.length, at + sliceSamples))
    await slices.next()
  }
  const resampling = new Resampling(samples, rate)
  while (!resampling.prepare()) await slices.next()
  for (let at = 0; at < resampling.out.length; at += sliceSamples) {
    resampling.run(at, Math.min(resampling.out.length, at + sliceSamples))
    await slices.next()
  }
  const { out } = resampling
  const hash = createHash('sha256')
  for (let at = 0; at < out.byteLength; at += 256 * 1024) {
    hash.update(new Uint8Array(out.buffer, at, Math.min(256 * 1024, out.byteLength - at)))
    await slices.next()
  }
  return { samples: out, key: hash.digest('hex'), cut: length > samples.length }
}

class Slices {
  #began = performance.now()

  async next(): Promise<void> {
    if (performance.now() - this.#began < sliceMs) return
    await breathe()
    this.#began = performance.now()
  }
}
