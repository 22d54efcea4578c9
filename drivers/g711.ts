/** µ-law and A-law of ITU-T G.711, between their bytes and signed 16-bit samples. */

/** The byte of silence in µ-law. */
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

function toMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), clip) + bias
  const segment = 24 - Math.clz32(magnitude)
  return ~(sign | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff
}

/** Every other bit is inverted on the line (G.711 table 1, note 2). */
const alternate = 0x55

export function fromALaw(code: number): number {
  const toggled = code ^ alternate
  const segment = (toggled >> 4) & 7
  const mantissa = (toggled & 0x0f) << 4
  const magnitude = segment === 0 ? mantissa + 8 : (mantissa + 0x108) << (segment - 1)
  return (toggled & 0x80) === 0 ? -magnitude : magnitude
}

function toALaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80
  const magnitude = sample < 0 ? ~sample : sample
  const segment = Math.max(0, 24 - Math.clz32(magnitude))
  return (sign | (segment << 4) | ((magnitude >> Math.max(4, segment + 3)) & 0x0f)) ^ alternate
}

interface Law {
  decode(bytes: Uint8Array): Int16Array
  encode(samples: Int16Array): Buffer
}

/** Each byte comes back as it was. */
function law(from: (code: number) => number, to: (sample: number) => number): Law {
  const linear = Int16Array.from({ length: 256 }, (_, code) => from(code))
  // By the sample as an unsigned number.
  const coded = Uint8Array.from({ length: 65_536 }, (_, bits) => to(bits < 32_768 ? bits : bits - 65_536))
  return {
    decode(bytes) {
      const samples = new Int16Array(bytes.length)
      for (let i = 0; i < bytes.length; i++) samples[i] = linear[bytes[i]!]!
      return samples
    },
    encode(samples) {
      const bytes = Buffer.allocUnsafe(samples.length)
      for (let i = 0; i < samples.length; i++) bytes[i] = coded[samples[i]! & 0xffff]!
      return bytes
    },
  }
}

export const { decode: decodeMuLaw, encode: encodeMuLaw } = law(fromMuLaw, toMuLaw)
export const { decode: decodeALaw, encode: encodeALaw } = law(fromALaw, toALaw)
