/** The user data header of a text (3GPP TS 23.040, 9.2.3.24): its information elements that say how the text is to be read. */
import type { InboundText } from './sms.ts'
import type { Languages } from './gsm-alphabet.ts'

/**
 * A text of the network that says, without words, that something waits in the number's own mailbox there (3GPP TS 23.038, 4; TS 23.040,
 * 9.2.3.24.2; SMPP 3.4, 5.3.2.13). To a reader it would be an empty text of a number that nobody knows.
 */

export interface Waiting {
  /** 0 voicemail, 1 fax, 2 mail, 3 others. */
  readonly kind: number
  /** 0: nothing waits any more; null: how many is not said. */
  readonly count: number | null
}

/** Of a data coding scheme of the groups 1100 to 1110; null of any other. */
export function waitingByCoding(coding: number): Waiting | null {
  if (coding < 0xc0 || coding >= 0xf0) return null
  return { kind: coding & 3, count: (coding & 8) === 0 ? 0 : null }
}

/** What is shown with a text that has no words of its own; nothing where it has, or nothing waits. */
export function waitingBesides(body: string, waiting: Waiting | null): { readonly besides?: readonly [string] } {
  if (body !== '' || waiting === null) return {}
  const { kind, count } = waiting
  const one = ['voicemail message', 'fax', 'mail', 'message'][kind & 3]!
  if (count === 0) return { besides: [`the network says: no ${one} waits for this number any more`] }
  if (count === null || count === 1) return { besides: [`the network says: a ${one} waits for this number`] }
  return { besides: [`the network says: ${count} ${one.endsWith('x') ? `${one}es` : `${one}s`} wait for this number`] }
}

export interface UserDataHeader {
  /** Absent where the text is whole, and where what is said of parts cannot be: such a part is a text of its own. */
  readonly part: NonNullable<InboundText['part']> | null
  /** Application port to which it is addressed (9.2.3.24.3 and 9.2.3.24.4); null for a person. */
  readonly port: number | null
  readonly languages: Languages
  readonly waiting: Waiting | null
}

const concatenated8 = 0x00
/** The highest bit of its first octet is whether it is to be stored. */
const messageWaiting = 0x01
const port8 = 0x04
const port16 = 0x05
const concatenated16 = 0x08
const singleShift = 0x24
const lockingShift = 0x25

/** @param header without the octet of its length */
export function readUserDataHeader(header: Uint8Array): UserDataHeader {
  let part: UserDataHeader['part'] = null
  let port: number | null = null
  const languages = { locking: 0, single: 0 }
  let waiting: Waiting | null = null
  for (let at = 0; at + 1 < header.length;) {
    const element = header[at]!
    const value = header.subarray(at + 2, at + 2 + header[at + 1]!)
    at += 2 + header[at + 1]!
    const [first = 0, second = 0] = value
    if (element === concatenated8 && value.length === 3) part = partOf(first, second, value[2]!)
    else if (element === concatenated16 && value.length === 4) part = partOf((first << 8) | second, value[2]!, value[3]!)
    else if (element === messageWaiting && value.length === 2) waiting = { kind: first & 3, count: second }
    else if (element === port8 && value.length === 2) port = first
    else if (element === port16 && value.length === 4) port = (first << 8) | second
    else if (element === singleShift && value.length === 1) languages.single = first
    else if (element === lockingShift && value.length === 1) languages.locking = first
  }
  return { part, port, languages, waiting }
}

/** What cannot be a part is a text of its own. */
export function partOf(reference: number, total: number, index: number): UserDataHeader['part'] {
  return total > 1 && index >= 1 && index <= total ? { reference, total, index } : null
}
