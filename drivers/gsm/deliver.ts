/**
 * A text as it came from the network: SMS-DELIVER (3GPP TS 23.040 9.2.2.1), read by our own hand. node-pdu errs here: it
 * takes the alphabet of message-waiting groups and of the reserved value wrongly, throws on the latter, loses `*` and `#` in
 * numbers, and shows what it does not know as backticks.
 */
import { decodeGsm } from '../gsm-alphabet.ts'
import type { InboundText, SmsEncoding } from '../sms.ts'
import { gsmAlphabet, readCoded, type AlphabetName } from '../sms-content.ts'
import { readUserDataHeader, waitingBesides, waitingByCoding, type UserDataHeader } from '../user-data-header.ts'

/** Septets packed into octets and unpacked (3GPP TS 23.038 6.1.2.1); the alphabet itself is that of all drivers. */

/** `count` septets that begin `skipBits` bits into `octets`; fewer where the octets end before. */
function unpackSeptets(octets: Uint8Array, count: number, skipBits = 0): Buffer {
  const found: number[] = []
  for (let bit = skipBits; found.length < count && bit + 7 <= octets.length * 8; bit += 7) {
    const low = octets[bit >> 3]!
    const high = octets[(bit >> 3) + 1] ?? 0
    found.push(((low | (high << 8)) >> (bit & 7)) & 0x7f)
  }
  return Buffer.from(found)
}

/** `fillBits` (0 to 6) are empty bits in front: septets behind a header begin at a multiple of seven (23.040 9.2.3.24). */
export function packSeptets(septets: Uint8Array, fillBits = 0): Uint8Array {
  const octets = new Uint8Array(Math.ceil((fillBits + septets.length * 7) / 8))
  septets.forEach((septet, i) => {
    const bit = fillBits + i * 7
    const at = bit >> 3
    const shifted = septet << (bit & 7)
    octets[at]! |= shifted & 255
    if (shifted > 255) octets[at + 1]! |= shifted >> 8
  })
  return octets
}

export class PduError extends Error {}

export interface Deliver {
  readonly kind: 'deliver'
  /**
   * +digits where the network said international; digits, * and # otherwise; or a name. For the notice of a picture message: the sender of
   * that message.
   */
  readonly from: string
  readonly encoding: SmsEncoding
  readonly body: string
  /** Service centre time stamp; null where it is no time. */
  readonly sentAt: number | null
  readonly part?: NonNullable<InboundText['part']>
  /** Of a part. */
  readonly coded?: NonNullable<InboundText['coded']>
  readonly besides?: NonNullable<InboundText['besides']>
}

class Octets {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  next(): number {
    return this.take(1)[0]!
  }

  take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw new PduError('The PDU is too short')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at)
  }
}

export function readHex(hex: string): Uint8Array {
  const text = hex.trim()
  if (text.length < 4 || text.length % 2 !== 0 || !/^[0-9A-Fa-f]+$/.test(text)) throw new PduError('The PDU is not hexadecimal')
  return Buffer.from(text, 'hex')
}

/** TP-MTI: the octet behind the service centre's address. */
export function messageType(bytes: Uint8Array): number {
  const first = bytes[1 + bytes[0]!]
  if (first === undefined) throw new PduError('The PDU is too short')
  return first & 3
}

/** Semi-octets, low one first; F fills. */
function digitsOf(octets: Uint8Array, count: number): string {
  let digits = ''
  for (const octet of octets) for (const nibble of [octet & 15, octet >> 4]) digits += '0123456789*#abc'[nibble] ?? ''
  return digits.slice(0, count)
}

/** 9.1.2.5. The length counts semi-octets, of a name too. */
function readAddress(octets: Octets): string {
  const length = octets.next()
  const type = (octets.next() >> 4) & 7
  const value = octets.take(Math.ceil(length / 2))
  if (type === 5) return decodeGsm(unpackSeptets(value, Math.floor((length * 4) / 7))).replace(/@$/, '')
  const digits = digitsOf(value, length)
  return type === 1 && digits !== '' ? `+${digits}` : digits
}

/** 9.2.3.11: local time, and quarters of an hour to take away for UTC. */
export function readTimestamp(octets: Uint8Array): number | null {
  const [year, month, day, hour, minute, second] = [...octets.subarray(0, 6)].map((octet) => (octet & 15) * 10 + (octet >> 4))
  const zone = octets[6]!
  const quarters = ((zone & 7) * 10 + (zone >> 4)) * (zone & 8 ? -1 : 1)
  if (month! < 1 || month! > 12 || day! < 1 || day! > 31 || hour! > 23 || minute! > 59 || second! > 59) return null
  return Date.UTC((year! >= 90 ? 1900 : 2000) + year!, month! - 1, day!, hour, minute, second) - quarters * 900_000
}

/** 23.038 clause 4. Reserved codings are taken as the default alphabet; a compressed text cannot be read. */
function alphabetOf(coding: number, { port, languages }: UserDataHeader): AlphabetName {
  const gsm = gsmAlphabet(languages)
  // A port addresses a program; a text that a person can read is read all the same.
  const binary = port === null ? 'binary' : `port ${port}`
  const group = coding >> 4
  if (group === 14) return 'ucs2'
  if (group === 15) return (coding & 4) === 0 ? gsm : binary
  if (group >= 8) return gsm
  if ((coding & 0x20) !== 0) return binary
  return [gsm, binary, 'ucs2', gsm][(coding >> 2) & 3]!
}

/** `bytes` with the service centre's address in front. Throws PduError. */
export function readDeliver(bytes: Uint8Array): Deliver {
  const octets = new Octets(bytes)
  octets.take(octets.next())
  const hasHeader = (octets.next() & 0x40) !== 0
  const sender = readAddress(octets)
  octets.next()
  const coding = octets.next()
  const sentAt = readTimestamp(octets.take(7))
  const length = octets.next()
  const data = octets.rest()
  const headerLength = hasHeader ? 1 + (data[0] ?? 0) : 0
  const header = readUserDataHeader(data.subarray(1, Math.max(1, Math.min(headerLength, data.length))))
  const alphabet = alphabetOf(coding, header)
  const septets = alphabet.startsWith('gsm')
  if (data.length < (septets ? Math.ceil((length * 7) / 8) : length)) throw new PduError('The PDU is too short')
  if (headerLength > data.length) throw new PduError('The header is longer than the PDU')
  // Septets begin at a multiple of seven bits behind the header.
  const headerSeptets = Math.ceil((headerLength * 8) / 7)
  const content = septets ? unpackSeptets(data, length - headerSeptets, headerSeptets * 7) : data.subarray(headerLength, length)
  const coded = { alphabet, bytes: content }
  const { from = sender, ...read } = readCoded(coded, sender)
  const { part } = header
  const besides = waitingBesides(read.body, header.waiting ?? waitingByCoding(coding))
  return { kind: 'deliver', sentAt, ...read, ...besides, ...(part === null ? { from } : { from: sender, part, coded }) }
}
