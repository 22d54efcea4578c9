/** µ-law of ITU-T G.711, between its bytes and signed 16-bit samples. */

/** The byte of silence. */
export const muLawSilence = 0xff

/** The code below zero, 0x7F, is -1: it would not come back as it was otherwise, since both zeros would be one. */
export function fromMuLaw(code: number): number {
  if (code === 0x7f) return -1
  const inverted = ~code & 0xff
  const magnitude = ((((inverted & 0x0f) << 3) + 0x84) << ((inverted >> 4) & 7)) - 0x84
  return (inverted & 0x80) === 0 ? magnitude : -magnitude
}

const bias = 0x84
const clip = 32635

export function toMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), clip) + bias
  const segment = 24 - Math.clz32(magnitude)
  return ~(sign | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff
}

const linear = Int16Array.from({ length: 256 }, (_, code) => fromMuLaw(code))
/** By the sample as an unsigned number. Each byte comes back as it was. */
const coded = Uint8Array.from({ length: 65_536 }, (_, bits) => toMuLaw(bits < 32_768 ? bits : bits - 65_536))

export function decodeMuLaw(bytes: Uint8Array): Int16Array {
  const samples = new Int16Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) samples[i] = linear[bytes[i]!]!
  return samples
}

export function encodeMuLaw(samples: Int16Array): Buffer {
  const bytes = Buffer.allocUnsafe(samples.length)
  for (let i = 0; i < samples.length; i++) bytes[i] = coded[samples[i]! & 0xffff]!
  return bytes
}
