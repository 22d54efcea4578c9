/** In which form a voice modem takes and gives samples: what it offers (`AT+VSM=?`), which of that is used, and the codes. */
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '../../g711.ts'

export interface VoiceFormat {
  readonly name: string
  /** Its number in `AT+VSM`. */
  readonly number: number
  readonly bytes: 1 | 2
  decode(bytes: Uint8Array): Int16Array
  encode(samples: Int16Array): Buffer
}

type Code = Pick<VoiceFormat, 'name' | 'bytes' | 'decode' | 'encode'>

const muLaw: Code = { name: 'mu-law', bytes: 1, decode: decodeMuLaw, encode: encodeMuLaw }
const aLaw: Code = { name: 'A-law', bytes: 1, decode: decodeALaw, encode: encodeALaw }

/** `silence`: 128 of offset binary, 0 of two's complement. */
const linear8 = (name: string, silence: 128 | 0): Code => ({
  name,
  bytes: 1,
  decode: (bytes) => Int16Array.from(bytes, (byte) => ((byte - silence) << 24) >> 16),
  encode: (samples) => {
    const bytes = Buffer.allocUnsafe(samples.length)
    for (let i = 0; i < samples.length; i++) bytes[i] = Math.min(127, (samples[i]! + 128) >> 8) + silence
    return bytes
  },
})

const linear16: Code = {
  name: '16 bit linear',
  bytes: 2,
  decode: (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return Int16Array.from({ length: bytes.length >> 1 }, (_, i) => view.getInt16(2 * i, true))
  },
  encode: (samples) => {
    const bytes = Buffer.allocUnsafe(2 * samples.length)
    for (let i = 0; i < samples.length; i++) bytes.writeInt16LE(samples[i]!, 2 * i)
    return bytes
  },
}

const isLinear = (name: string): boolean => /pcm|linear/i.test(name) && !/law|log|adpcm/i.test(name)

/** The best first: 16 bits need more than a port of 115,200 carries. */
const wanted: readonly { readonly code: Code; fits(name: string, bits: number): boolean }[] = [
  { code: muLaw, fits: (name, bits) => bits === 8 && /u-?law|u-?log|pcmu|g\.?711 ?u/i.test(name) },
  { code: aLaw, fits: (name, bits) => bits === 8 && /a-?law|a-?log|pcma|g\.?711 ?a/i.test(name) },
  { code: linear8('8 bit linear', 128), fits: (name, bits) => bits === 8 && isLinear(name) && !/(?<!un)signed/i.test(name) },
  { code: linear8('8 bit linear, signed', 0), fits: (name, bits) => bits === 8 && isLinear(name) },
  { code: linear16, fits: (name, bits) => bits === 16 && isLinear(name) },
]

/** Rates as `8000`, `(7200,8000)` or `7200-11025`. */
function hasRate(text: string): boolean {
  for (const [, from, to] of text.matchAll(/(\d{4,6})(?:\s*-\s*(\d{4,6}))?/g)) {
    if (Number(from) <= 8000 && 8000 <= Number(to ?? from)) return true
  }
  return false
}

/** Bits of a sample: of their own behind the name (V.253), or said by it, such as of `128,"8-BIT LINEAR",(7200,8000,11025)` (Lucent, USRobotics). */
function bitsOf(name: string, rest: string): number {
  return Number((/^(\d{1,2})\s*,/.exec(rest) ?? /(\d+)[ -]?bit/i.exec(name))?.[1] ?? 0)
}

/** Of a line whose runs of white space are one space each. */
const offer = /^ ?(?:\+VSM ?[:=] ?)?(\d+) ?, ?"?([^",]*)"? ?, ?(.*)$/i

/** Null where it offers nothing at 8 kHz that is understood. */
export function chooseFormat(lines: readonly string[]): VoiceFormat | null {
  const offered = lines.flatMap((line) => {
    const [, number, name = '', rest = ''] = offer.exec(line.replaceAll(/\s+/g, ' ')) ?? []
    return hasRate(rest) ? [{ number: Number(number), name, bits: bitsOf(name, rest) }] : []
  })
  for (const { code, fits } of wanted) {
    const fit = offered.find(({ name, bits }) => fits(name, bits))
    if (fit !== undefined) return { ...code, number: fit.number }
  }
  return null
}
