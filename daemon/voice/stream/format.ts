/** The forms of audio in the frames of a media stream. */
import { decodeMuLaw, encodeMuLaw, muLawSilence } from '../../../drivers/g711.ts'
import { Upsampler } from '../../../drivers/upsample.ts'

export type StreamCodec = 'audio/x-mulaw' | 'audio/x-l16;rate=16000'

export interface StreamFormat {
  readonly encoding: 'audio/x-mulaw' | 'audio/x-l16'
  readonly sampleRate: 8000 | 16_000
  readonly sampleBytes: 1 | 2
  /** Of 20 ms. */
  readonly frameBytes: number
  /** 20 ms of it. */
  readonly silence: Buffer
  /** How one way of a call becomes bytes. */
  encoder(): (samples: Int16Array) => Buffer
  decode(bytes: Buffer): Int16Array
}

const muLaw: StreamFormat = {
  encoding: 'audio/x-mulaw',
  sampleRate: 8000,
  sampleBytes: 1,
  frameBytes: 160,
  silence: Buffer.alloc(160, muLawSilence),
  encoder: () => encodeMuLaw,
  decode: decodeMuLaw,
}

/** Signed, 16 bits, the low byte first, as those who use this name for it have it. */
const linear: StreamFormat = {
  encoding: 'audio/x-l16',
  sampleRate: 16_000,
  sampleBytes: 2,
  frameBytes: 640,
  silence: Buffer.alloc(640),
  encoder: () => {
    const up = new Upsampler()
    return (samples) => {
      // A line that knows 8 kHz alone.
      const wide =
        samples.length < 320
          ? Int16Array.from(up.push(samples), (value) => Math.max(-1, Math.min(32_767 / 32_768, value)) * 32_768)
          : samples
      return Buffer.from(wide.buffer, wide.byteOffset, wide.byteLength)
    }
  },
  decode: (bytes) => new Int16Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 1),
}

export const formats: Readonly<Record<StreamCodec, StreamFormat>> = { 'audio/x-mulaw': muLaw, 'audio/x-l16;rate=16000': linear }
