/**
 * What a network sends to a program on a telephone and not to a person, in words: the notice of a picture message (OMA-TS-MMS_ENC 6.2 over WSP,
 * WAP-230), other pushes, contacts. A patient who has sent a picture believes that it arrived.
 */

/** WAP push (WDP, IANA). */
export const pushPort = 2948

export interface Pushed {
  readonly words: string
  /** The sender of the picture message, where the notice names it. */
  readonly from?: string
}

const pushTypes: readonly number[] = [0x06, 0x07]
/** WSP assigned number of application/vnd.wap.mms-message, as a short integer. */
const mmsMessage = 0xbe
const mmsMessageName = 'application/vnd.wap.mms-message'
/** Header fields of MMS (7.4) as short integers. */
const field = { from: 0x89, messageType: 0x8c, subject: 0x96 } as const
const notificationInd = 0x82

/** A value of WSP (WAP-230, 8.4.1.2): its bytes, and where the next one begins. */
function valueAt(bytes: Buffer, at: number): { value: Buffer; next: number } {
  const first = bytes[at] ?? 0
  if (first >= 0x80) return { value: bytes.subarray(at, at + 1), next: at + 1 }
  if (first < 0x1f) return { value: bytes.subarray(at + 1, at + 1 + first), next: at + 1 + first }
  if (first === 0x1f) {
    const { number, next } = uintvarAt(bytes, at + 1)
    return { value: bytes.subarray(next, next + number), next: next + number }
  }
  const end = bytes.indexOf(0, at)
  return end === -1 ? { value: bytes.subarray(at), next: bytes.length } : { value: bytes.subarray(at, end), next: end + 1 }
}

/** 8.1.2: seven bits an octet, the highest bit set but in the last. */
function uintvarAt(bytes: Buffer, at: number): { number: number; next: number } {
  let number = 0
  for (let next = at; next < bytes.length && next < at + 5; next++) {
    number = number * 128 + (bytes[next]! & 0x7f)
    if (bytes[next]! < 0x80) return { number, next: next + 1 }
  }
  return { number: bytes.length, next: bytes.length }
}

/** An encoded string (MMS 7.3.17): text, or a character set (MIBenum) and text. */
function stringOf(value: Buffer): string {
  const text = value[0] !== undefined && value[0] >= 0x80 ? value.subarray(1) : value
  return text
    .toString('utf8')
    .replaceAll(/[\0-\x1f"\x7f]/g, '')
    .trim() // eslint-disable-line no-control-regex
}

/** Null where it is no message of MMS. */
function readMms(bytes: Buffer): { type: number; from: string; subject: string } | null {
  const { number: headersLength, next: headersAt } = uintvarAt(bytes, 2)
  const headers = bytes.subarray(headersAt, headersAt + headersLength)
  // Where the media type has parameters its length stands before it.
  const named = headers.includes(mmsMessageName) || headers[0] === mmsMessage || (headers[0]! < 0x1f && headers[1] === mmsMessage)
  if (!named) return null
  const content = bytes.subarray(headersAt + headersLength)
  const found = { type: 0, from: '', subject: '' }
  for (let at = 0; at + 1 < content.length;) {
    const name = content[at]
    const { value, next } = valueAt(content, at + 1)
    at = next
    if (name === field.messageType) found.type = value[0] ?? 0
    else if (name === field.from) found.from = fromOf(value)
    else if (name === field.subject) found.subject = stringOf(encoded(value))
  }
  return found
}

/** 7.3.12: a token that says whether there is an address, and the address. */
function fromOf(value: Buffer): string {
  if (value[0] !== 0x80) return ''
  return stringOf(encoded(value.subarray(1))).replace(/\/TYPE=.*$/i, '')
}

/** Within a value that has a length of its own there may be a string that has one too. */
function encoded(value: Buffer): Buffer {
  return value[0] !== undefined && value[0] < 0x20
    ? valueAt(value, 0).value
    : valueAt(value, value[0] !== undefined && value[0] >= 0x80 ? 1 : 0).value
}

/** @param sender of the text in which it came, for a notice that names none */
export function readPush(bytes: Buffer, sender: string): Pushed {
  const mms = pushTypes.includes(bytes[1] ?? 0) ? readMms(bytes) : null
  if (mms === null) return { words: otherData(bytes, pushPort) }
  const from = mms.from === '' ? sender : mms.from
  if (mms.type !== 0 && mms.type !== notificationInd) return { words: '[a notice about a picture message that was sent elsewhere]', from }
  const subject = mms.subject === '' ? '' : ` Its subject: "${mms.subject.replaceAll('"', "'")}".`
  return { words: `[A picture message (MMS) came from ${from}. This line cannot fetch it.${subject}]`, from }
}

const mostShown = 2000
const mostHex = 400
const contacts: ReadonlyMap<number, string> = new Map([
  [9204, 'a contact (vCard)'],
  [9205, 'an appointment (vCalendar)'],
  [9206, 'a contact (vCard)'],
  [9207, 'an appointment (vCalendar)'],
])

/** @param port null where it is addressed to no program */
export function otherData(bytes: Buffer, port: number | null): string {
  const text = printable(bytes)
  const what = port === null ? 'data' : (contacts.get(port) ?? `data for a program, port ${port}`)
  if (text !== null && port !== null) return `[${what}]\n${text.slice(0, mostShown)}`
  const hex = bytes.toString('hex')
  return `[${port === null ? 'data' : what}, no text: ${hex.slice(0, mostHex)}${hex.length > mostHex ? '…' : ''}]`
}

/** Null where it is no text. */
function printable(bytes: Buffer): string | null {
  if (bytes.length === 0) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // eslint-disable-next-line no-control-regex
    return /[\0-\x08\x0e-\x1f\x7f]/.test(text) ? null : text
  } catch {
    return null
  }
}
