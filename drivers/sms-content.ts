/**
 * The bytes of a text and what they say. Of a text in parts the bytes of all parts are read as one: a character may begin in one part and end in
 * the next (an escape of the GSM alphabet, a pair of surrogates, UTF-8).
 */
import { decodeGsm, fitsGsm, type Languages } from './gsm-alphabet.ts'
import type { SmsEncoding } from './sms.ts'
import { otherData, pushPort, readPush } from './wap-push.ts'

/**
 * `gsm`, with the identifiers of its languages (`gsm 1 3`: locking, single shift); `ucs2`; `latin1`; `ascii`; `utf8`; `binary`, no text; `port N`,
 * for a program; otherwise a name of the Encoding Standard.
 */
export type AlphabetName = string

export interface CodedText {
  readonly alphabet: AlphabetName
  readonly bytes: Uint8Array
}

export interface ReadText {
  readonly body: string
  readonly encoding: SmsEncoding
  /** In place of the sender of the text, where what it brings names one. */
  readonly from?: string
}

export function gsmAlphabet({ locking, single }: Languages): AlphabetName {
  return locking === 0 && single === 0 ? 'gsm' : `gsm ${locking} ${single}`
}

/** @param from the sender of the text */
export function readCoded({ alphabet, bytes }: CodedText, from: string): ReadText {
  const [name = '', first = '0', second = '0'] = alphabet.split(' ')
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (name === 'gsm') return { body: decodeGsm(buffer, { locking: Number(first), single: Number(second) }), encoding: 'GSM-7' }
  if (name === 'ucs2') return { body: decodeUcs2(buffer), encoding: 'UCS-2' }
  if (alphabet === `port ${pushPort}`) {
    const { words, ...sender } = readPush(buffer, from)
    return { ...withEncoding(words), ...sender }
  }
  if (name === 'port') return withEncoding(otherData(buffer, Number(first)))
  if (name === 'binary') return withEncoding(otherData(buffer, null))
  return withEncoding(decodeNamed(buffer, name))
}

const withEncoding = (body: string): ReadText => ({ body, encoding: fitsGsm(body) ? 'GSM-7' : 'UCS-2' })

function decodeUcs2(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')
}

function decodeNamed(bytes: Buffer, name: string): string {
  if (name === 'latin1' || name === 'ascii') return bytes.toString('latin1')
  if (name !== 'utf8') return new TextDecoder(name).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}
