/**
 * Identifiers. All are UUIDv7 (RFC 9562 section 5.7), so they sort by the time they were made; within one millisecond
 * the 12 bits after the version count up, so they sort by order of creation too.
 */
import { randomFillSync } from 'node:crypto'

export const callIdPattern = /^CA[0-9a-f]{32}$/
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const pool = Buffer.alloc(4096)
let poolUsed = pool.length
let lastMs = 0
/** The first 12 digits of an id of that moment. */
let moment = ''
let counter = 0
/** The three digits behind the variant; '' where they are random. */
let box = ''

/** From here on every id carries this box (`box.id`: three hexadecimal digits) as its digits 18 to 20; undefined: random digits. */
export function idsOfBox(id: string | undefined): void {
  box = id ?? ''
}

/** The digits 18 to 20 of an id; undefined where it has none. */
export function boxOf(id: string): string | undefined {
  if (callIdPattern.test(id)) return id.slice(19, 22)
  return idPattern.test(id) ? id.slice(20, 23) : undefined
}

function uuidHex(): string {
  if (poolUsed + 10 > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  const at = poolUsed
  poolUsed += 10
  const now = Date.now()
  if (now > lastMs) {
    begin(now)
    // Half of the counter's range stays free for ids of the same millisecond.
    counter = pool.readUInt16BE(at + 8) & 0x7ff
  } else if (++counter > 0xfff) {
    begin(lastMs + 1)
    counter = 0
  }
  pool[at] = (pool[at]! & 0x3f) | 0x80
  const random = pool.toString('hex', at, at + 8)
  return moment + (0x7000 | counter).toString(16) + (box === '' ? random : random.charAt(0) + box + random.slice(4))
}

function begin(ms: number): void {
  lastMs = ms
  moment = ms.toString(16).padStart(12, '0')
}

/** `CA` and 32 lowercase hexadecimal digits: the one id of a call everywhere. */
export function newCallId(): string {
  return `CA${uuidHex()}`
}

/** `MZ` and 32 digits: a media stream. */
export function newStreamSid(): string {
  return `MZ${uuidHex()}`
}

/** UUIDv7 with dashes: eventId, recordingId and every other id. */
export function newId(): string {
  const hex = uuidHex()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Names one HTTP request in answers and logs. */
export function newRequestId(): string {
  return newId()
}
