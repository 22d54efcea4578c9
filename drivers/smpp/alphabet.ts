/** Texts as bytes of an SMPP message: data_coding (SMPP 3.4, 5.2.19) and the alphabets it names. */
import { decodeGsm, encodeGsm, fitsGsm } from '../gsm-alphabet.ts'
import type { SmsEncoding } from '../sms.ts'

export const dataCodings: Readonly<Record<SmsEncoding, number>> = { 'GSM-7': 0, 'UCS-2': 8 }

/** What the alphabet does not have becomes a question mark. */
export function encodeText(text: string, encoding: SmsEncoding): Buffer {
  if (encoding === 'UCS-2') return Buffer.from(text, 'utf16le').swap16()
  return encodeGsm(text)
}

function decodeUcs2(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')
}

/** Alphabets that the platform reads, by data_coding. */
const named: Readonly<Record<number, string>> = { 5: 'shift_jis', 6: 'iso-8859-5', 7: 'iso-8859-8', 10: 'iso-2022-jp', 14: 'euc-kr' }

type Alphabet = 'gsm' | 'ascii' | 'latin1' | 'ucs2' | 'binary' | { readonly named: string }

/** Above 15, data_coding is that of the network (3GPP TS 23.038, 4): flash messages come so. */
function alphabetOf(coding: number): Alphabet {
  if (coding < 0x10) {
    if (coding === 0) return 'gsm'
    if (coding === 1) return 'ascii'
    if (coding === 3) return 'latin1'
    if (coding === 8) return 'ucs2'
    const name = named[coding]
    return name === undefined ? 'binary' : { named: name }
  }
  if (coding >= 0xf0) return (coding & 0x04) === 0 ? 'gsm' : 'binary'
  if (coding >= 0xe0) return 'ucs2'
  if (coding >= 0xc0) return 'gsm'
  return (['gsm', 'binary', 'ucs2', 'gsm'] as const)[(coding >> 2) & 3]!
}

/** A message that is no text is told as such, with its bytes: it must not vanish. */
export function decodeText(bytes: Buffer, coding: number): { body: string; encoding: SmsEncoding } {
  const alphabet = alphabetOf(coding)
  if (alphabet === 'gsm') return { body: decodeGsm(bytes), encoding: 'GSM-7' }
  if (alphabet === 'ucs2') return { body: decodeUcs2(bytes), encoding: 'UCS-2' }
  const body =
    alphabet === 'binary'
      ? `[data, no text: ${bytes.toString('hex')}]`
      : alphabet === 'ascii' || alphabet === 'latin1'
        ? bytes.toString('latin1')
        : new TextDecoder(alphabet.named).decode(bytes)
  return { body, encoding: fitsGsm(body) ? 'GSM-7' : 'UCS-2' }
}
