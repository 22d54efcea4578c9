/**
 * What a WAV file says of itself, and how its bytes become samples: PCM of 8, 16, 24 and 32 bit, floating point of 32
 * and 64 bit, µ-law and A-law (ITU-T G.711), plain or WAVE_FORMAT_EXTENSIBLE.
 */
import { fromALaw, fromMuLaw } from '../../../drivers/g711.ts'
import { WavError } from '../../../drivers/wav.ts'

export interface WavFormat {
  /** Coding: 1 PCM, 3 floating point, 6 A-law, 7 µ-law. */
  readonly tag: number
  readonly channels: number
  readonly rate: number
  readonly bits: number
}

const extensible = 0xfffe

/** Reads the body of a `fmt ` chunk. Throws WavError in words for a person. */
export function parseFormat(body: Buffer): WavFormat {
  if (body.length < 16) throw new WavError('The format of the WAV file is cut off')
  const tag = body.readUInt16LE(0)
  // WAVE_FORMAT_EXTENSIBLE keeps the real tag in the first bytes of its sub-format.
  const real = tag === extensible && body.length >= 26 ? body.readUInt16LE(24) : tag
  const format = { tag: real, channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) }
  if (format.channels < 1 || format.channels > 8) throw new WavError(`The WAV file has ${format.channels} channels; 1 to 8 are understood`)
  if (format.rate < 4000 || format.rate > 192_000)
    throw new WavError(`The WAV file has ${format.rate} samples a second; 4,000 to 192,000 are understood`)
  if (readers[`${format.tag}/${format.bits}`] === undefined)
    throw new WavError(`The coding of the WAV file (${format.tag}, ${format.bits} bit) is not understood; use PCM, µ-law or A-law`)
  return format
}

export function bytesPerFrame(format: WavFormat): number {
  return (format.channels * format.bits) / 8
}

/** Whole frames to mono, signed 16 bit; bytes behind the last whole frame are left. */
export function toMono(data: Buffer, format: WavFormat): Int16Array {
  const read = readers[`${format.tag}/${format.bits}`]
  if (read === undefined) throw new WavError('The coding of the WAV file is not understood')
  const { channels } = format
  const width = format.bits / 8
  const samples = new Int16Array(Math.floor(data.length / (channels * width)))
  for (let index = 0, at = 0; index < samples.length; index += 1) {
    let sum = 0
    for (let channel = 0; channel < channels; channel += 1, at += width) sum += read(data, at)
    samples[index] = Math.round(sum / channels)
  }
  return samples
}

type Reader = (data: Buffer, at: number) => number

const readers: Readonly<Record<string, Reader>> = {
  '1/8': (data, at) => ((data[at] ?? 128) - 128) * 256,
  '1/16': (data, at) => data.readInt16LE(at),
  '1/24': (data, at) => data.readInt16LE(at + 1),
  '1/32': (data, at) => data.readInt16LE(at + 2),
  '3/32': (data, at) => fromFloat(data.readFloatLE(at)),
  '3/64': (data, at) => fromFloat(data.readDoubleLE(at)),
  '6/8': (data, at) => fromALaw(data[at] ?? 0xd5),
  '7/8': (data, at) => fromMuLaw(data[at] ?? 0xff),
}

function fromFloat(value: number): number {
  return Number.isNaN(value) ? 0 : Math.max(-32_768, Math.min(32_767, Math.round(value * 32_767)))
}
