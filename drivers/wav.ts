/** RIFF/WAVE. Read: PCM of 8 and 16 bit, µ-law and A-law (ITU-T G.711), any rate, channels mixed to one. Written: 8 kHz, mono, 16 bit. */
import { fromALaw, fromMuLaw } from './g711.ts'

export class WavError extends Error {}

export interface Wav {
  readonly rate: number
  /** Mono, signed 16 bit. */
  readonly samples: Int16Array
}

/** A file that was looked at, and not decoded yet. */
export interface WavFormat {
  readonly rate: number
  /** Samples of one channel. */
  readonly length: number
  /** Decodes samples `from` to `to` into the same places of `into`. */
  read(into: Int16Array, from: number, to: number): void
}

/** @throws WavError saying what is wrong in words for a person */
export function readWav(file: Buffer): Wav {
  const { rate, length, read } = wavFormat(file)
  const samples = new Int16Array(length)
  read(samples, 0, length)
  return { rate, samples }
}

/**
 * Sizes in the headers are taken as hints: programs that write to a pipe do not know them.
 * @throws WavError saying what is wrong in words for a person
 */
export function wavFormat(file: Buffer): WavFormat {
  if (file.length < 12 || file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') {
    throw new WavError(describeOther(file))
  }
  let format: { tag: number; channels: number; rate: number; bits: number } | null = null
  for (let at = 12; at + 8 <= file.length;) {
    const name = file.toString('latin1', at, at + 4)
    const size = file.readUInt32LE(at + 4)
    const body = at + 8
    if (name === 'fmt ' && body + 16 <= file.length) {
      const tag = file.readUInt16LE(body)
      // WAVE_FORMAT_EXTENSIBLE keeps the real tag in the first bytes of its sub-format.
      const real = tag === 0xfffe && size >= 40 && body + 26 <= file.length ? file.readUInt16LE(body + 24) : tag
      format = { tag: real, channels: file.readUInt16LE(body + 2), rate: file.readUInt32LE(body + 4), bits: file.readUInt16LE(body + 14) }
    }
    if (name === 'data') {
      if (format === null) throw new WavError('The WAV file has no format before its data')
      return contentOf(file.subarray(body, Math.min(file.length, body + size)), format)
    }
    at = body + size + (size % 2)
  }
  throw new WavError('The WAV file has no audio data')
}

function contentOf(data: Buffer, format: { tag: number; channels: number; rate: number; bits: number }): WavFormat {
  const { tag, channels, rate, bits } = format
  if (channels < 1 || channels > 8) throw new WavError(`The WAV file has ${channels} channels`)
  if (rate < 4000 || rate > 192_000) throw new WavError(`The WAV file has ${rate} samples a second; 4,000 to 192,000 are understood`)
  const sample = sampleReader(data, tag, bits)
  const frame = channels * (bits / 8)
  const length = Math.floor(data.length / frame)
  // As it lies in memory: all machines that this runs on begin with the lower byte.
  if (tag === 1 && bits === 16 && channels === 1)
    return {
      rate,
      length,
      read: (into, from, to) => {
        const bytes = new Uint8Array(data.subarray(2 * from, 2 * Math.min(to, length)))
        into.set(new Int16Array(bytes.buffer), from)
      },
    }
  return {
    rate,
    length,
    read: (into, from, to) => {
      for (let index = from; index < to; index += 1) {
        let sum = 0
        for (let channel = 0; channel < channels; channel += 1) sum += sample(index * frame + channel * (bits / 8))
        into[index] = Math.round(sum / channels)
      }
    },
  }
}

function sampleReader(data: Buffer, tag: number, bits: number): (at: number) => number {
  if (tag === 1 && bits === 16) return (at) => data.readInt16LE(at)
  if (tag === 1 && bits === 8) return (at) => (data[at]! - 128) * 256
  if (tag === 7 && bits === 8) return (at) => fromMuLaw(data[at]!)
  if (tag === 6 && bits === 8) return (at) => fromALaw(data[at]!)
  throw new WavError(`The WAV file's coding (${tag}, ${bits} bit) is not understood; use 8 or 16 bit PCM, µ-law or A-law`)
}

function describeOther(file: Buffer): string {
  const head = file.toString('latin1', 0, 4)
  if (head.startsWith('ID3') || (file.length > 1 && file[0] === 0xff && (file[1]! & 0xe0) === 0xe0))
    return 'The file is MP3; only WAV can be played'
  if (head === 'OggS') return 'The file is Ogg; only WAV can be played'
  if (head === 'fLaC') return 'The file is FLAC; only WAV can be played'
  return 'The file is not a WAV file'
}

/** A whole WAV file in memory: RIFF/WAVE, 8 kHz, mono, signed 16 bit. */
export function wavBytes(samples: Int16Array): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + samples.byteLength, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([head, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)])
}
