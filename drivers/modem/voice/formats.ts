/** In which form a voice modem takes and gives samples: what it offers (`AT+VSM=?`), which of that is used, and the codes. */
import { decodeMuLaw, encodeMuLaw } from '../../mu-law.ts'

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

/** Offset binary: 128 is silence. */
const unsigned: Code = {
  name: '8 bit linear',
  bytes: 1,
  decode: (bytes) => Int16Array.from(bytes, (byte) => (byte - 128) << 8),
  encode: (samples) => {
    const bytes = Buffer.allocUnsafe(samples.length)
    for (let i = 0; i < samples.length; i++) bytes[i] = Math.min(255, Math.max(0, ((samples[i]! + 128) >> 8) + 128))
    return bytes
  },
}

const signed: Code = {
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

/** The best first: 16 bits need more than a port of 115,200 carries. */
const wanted: readonly { readonly code: Code; fits(name: string, bits: number): boolean }[] = [
  { code: muLaw, fits: (name, bits) => bits === 8 && /u-?law|mu-?law|pcmu|g\.?711 ?u/i.test(name) },
  { code: unsigned, fits: (name, bits) => bits === 8 && /pcm|linear/i.test(name) && !/law|adpcm/i.test(name) },
  { code: signed, fits: (name, bits) => bits === 16 && /pcm|linear/i.test(name) && !/adpcm/i.test(name) },
]

/** Rates as `8000`, `(7200,8000)` or `7200-11025`. */
function hasRate(text: string): boolean {
  for (const [, from, to] of text.matchAll(/(\d{4,6})(?:\s*-\s*(\d{4,6}))?/g)) {
    if (Number(from) <= 8000 && 8000 <= Number(to ?? from)) return true
  }
  return false
}

/** Null where it offers nothing at 8 kHz that is understood. */
export function chooseFormat(lines: readonly string[]): VoiceFormat | null {
  const offered = lines.flatMap((line) => {
    const found = /^\s*(?:\+VSM\s*[:=]\s*)?(\d+)\s*,\s*"?([^",]*)"?\s*,\s*(\d+)\s*,(.*)$/i.exec(line)
    return found !== null && hasRate(found[4]!) ? [{ number: Number(found[1]), name: found[2]!, bits: Number(found[3]) }] : []
  })
  for (const { code, fits } of wanted) {
    const fit = offered.find(({ name, bits }) => fits(name, bits))
    if (fit !== undefined) return { ...code, number: fit.number }
  }
  return null
}
