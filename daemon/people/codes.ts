/** Codes that people type: invitations and recovery codes. Letters and digits that are hard to confuse, in groups of four. */
import { hash, randomInt } from 'node:crypto'

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** `length`: a multiple of four, of five bits each. */
export function newCode(length: number): string {
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
  return (code.match(/.{4}/g) ?? []).join('-')
}

/** SHA-256, hexadecimal; spaces, hyphens and case do not count. */
export function codeHash(text: string): string {
  return hash('sha256', text.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
}
