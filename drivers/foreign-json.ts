/** JSON that somebody else wrote. Brackets within brackets cost far more than their bytes: 60 kB of them hold a thread up for 20 ms, 1 MB for 0.6 s. */
import { isUtf8 } from 'node:buffer'

// Text that somebody else wrote, and in which encoding is not said, or said wrongly.

/** 0x80 to 0x9F of Windows-1252 (a space: nothing is there); the others are as in Latin-1. */
const upper = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

/** null where a byte stands for nothing. */
export function fromWindows1252(bytes: Uint8Array): string | null {
  let lost = false
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, (letter) => {
      const known = upper[letter.charCodeAt(0) - 0x80]!
      lost ||= known === ' '
      return known
    })
  return lost ? null : text
}

/**
 * Of an answer that should be UTF-8 (RFC 8259 section 8.1): without a byte order mark; UTF-16 by its mark; and Windows-1252, of which Latin-1
 * is a part, where it is no UTF-8, so that the letters of names are not lost.
 */
export function foreignText(raw: Buffer): string {
  if (raw[0] === 0xff && raw[1] === 0xfe) return raw.toString('utf16le', 2)
  const from = raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? 3 : 0
  const bytes = raw.subarray(from)
  return isUtf8(bytes) ? bytes.toString('utf8') : (fromWindows1252(bytes) ?? bytes.toString('utf8'))
}

/** Deeper nesting is of no use and exhausts the stack of code that walks the value. */
export const deepestJson = 64
const smallBytes = 4096

/** Throws SyntaxError where it is no JSON, or nested too deep. A byte order mark in front of it is passed over (RFC 8259 section 8.1). */
export function parseForeignJson(raw: Buffer): unknown {
  if (isTooDeep(raw)) throw new SyntaxError(`nested more than ${deepestJson} levels deep`)
  return JSON.parse(foreignText(raw)) as unknown
}

/** Jumps over strings, so a large one costs next to nothing; in what is small, to look for their ends would cost more than all the rest. */
export function isTooDeep(raw: Buffer): boolean {
  if (raw.length <= smallBytes && openings(raw) <= deepestJson) return false
  let depth = 0
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at]
    if (byte === 0x22) {
      at = stringEnd(raw, at + 1)
      if (at === -1) return false
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepestJson) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

/** Those in strings too. */
function openings(raw: Buffer): number {
  let count = 0
  for (let at = 0; at < raw.length; at++) if (raw[at] === 0x7b || raw[at] === 0x5b) count++
  return count
}

function stringEnd(raw: Buffer, from: number): number {
  for (let at = raw.indexOf(0x22, from); at !== -1; at = raw.indexOf(0x22, at + 1)) {
    let before = at - 1
    while (before >= from && raw[before] === 0x5c) before--
    if ((at - 1 - before) % 2 === 0) return at
  }
  return -1
}
