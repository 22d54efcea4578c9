/** The forms in which a simulated voice modem gives and takes samples, each with the line by which real ones offer it (AT+VSM=?). */
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '../../g711.ts'

export interface Coding {
  /** As of AT+VSM=?, its number first. */
  readonly offer: string
  encode(samples: Int16Array): Buffer
  decode(bytes: Uint8Array): Int16Array
}

const sevenBits = (sample: number): number => Math.max(-128, Math.min(127, Math.round(sample / 256)))

export const muLaw = (offer: string): Coding => ({ offer, encode: encodeMuLaw, decode: decodeMuLaw })
export const aLaw = (offer: string): Coding => ({ offer, encode: encodeALaw, decode: decodeALaw })

export const unsigned = (offer: string): Coding => ({
  offer,
  encode: (samples) => Buffer.from(Uint8Array.from(samples, (sample) => 128 + sevenBits(sample))),
  decode: (bytes) => Int16Array.from(bytes, (byte) => 256 * (byte - 128)),
})

export const signed = (offer: string): Coding => ({
  offer,
  encode: (samples) => Buffer.from(Int8Array.from(samples, sevenBits).buffer),
  decode: (bytes) => Int16Array.from(Int8Array.from(bytes), (byte) => 256 * byte),
})

/** One that the box cannot use. */
export const other = unsigned
