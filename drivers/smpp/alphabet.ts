/** Texts as bytes of an SMPP message: data_coding (SMPP 3.4, 5.2.19) and the alphabets it names. */
import { encodeGsm, type Languages } from '../gsm-alphabet.ts'
import type { SmsEncoding } from '../sms.ts'
import { gsmAlphabet, readCoded, type AlphabetName, type ReadText } from '../sms-content.ts'

/** What data_coding 0, "SMSC default alphabet", is at the service. */
export type DefaultAlphabet = 'gsm' | 'latin1' | 'ascii' | 'utf8'

export const dataCodings: Readonly<Record<SmsEncoding, number>> = { 'GSM-7': 0, 'UCS-2': 8 }

const highest: Readonly<Record<Exclude<DefaultAlphabet, 'gsm'>, number>> = { latin1: 0xff, ascii: 0x7f, utf8: 0x7f }

/**
 * Whether all of a text can be sent in the default alphabet. Of UTF-8 what is ASCII: the length of a part counts characters, and a service is to
 * cut none. Undefined where the GSM alphabet decides alone.
 */
export function fitsDefault(alphabet: DefaultAlphabet): ((text: string) => boolean) | undefined {
  if (alphabet === 'gsm') return undefined
  return (text) => [...text].every((character) => character.codePointAt(0)! <= highest[alphabet])
}

/** What the alphabet does not have becomes a question mark. */
export function encodeText(text: string, encoding: SmsEncoding, alphabet: DefaultAlphabet = 'gsm'): Buffer {
  if (encoding === 'UCS-2') return Buffer.from(text, 'utf16le').swap16()
  if (alphabet === 'gsm') return encodeGsm(text)
  return Buffer.from([...text].map((character) => (character.codePointAt(0)! <= highest[alphabet] ? character.codePointAt(0)! : 0x3f)))
}

/** Alphabets that the platform reads, by data_coding. */
const named: Readonly<Record<number, AlphabetName>> = {
  1: 'ascii',
  3: 'latin1',
  5: 'shift_jis',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  8: 'ucs2',
  10: 'iso-2022-jp',
  14: 'euc-kr',
}

/** Above 15, data_coding is that of the network (3GPP TS 23.038, 4): flash messages come so. */
export function alphabetOf(coding: number, byDefault: DefaultAlphabet, languages: Languages): AlphabetName {
  const gsm = gsmAlphabet(languages)
  if (coding === 0) return byDefault === 'gsm' ? gsm : byDefault
  if (coding < 0x10) return named[coding] ?? 'binary'
  if (coding >= 0xf0) return (coding & 0x04) === 0 ? gsm : 'binary'
  if (coding >= 0xe0) return 'ucs2'
  if (coding >= 0xc0) return gsm
  return [gsm, 'binary', 'ucs2', gsm][(coding >> 2) & 3]!
}

/** Of a message that is whole and has no header. */
export function decodeText(bytes: Buffer, coding: number, byDefault: DefaultAlphabet = 'gsm'): ReadText {
  return readCoded({ alphabet: alphabetOf(coding, byDefault, { locking: 0, single: 0 }), bytes }, '')
}
