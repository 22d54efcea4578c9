/** Text that somebody else wrote, and in which encoding is not said, or said wrongly. */
import { isUtf8 } from 'node:buffer'

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
