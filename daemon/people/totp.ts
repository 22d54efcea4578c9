/** Codes of an authenticator app: TOTP (RFC 6238) with SHA-1, 30 seconds and six digits, which every app speaks, and recovery codes. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepSeconds = 30
/** A clock may be one step off, either way. */
const drift = 1
const secretBytes = 20
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 (RFC 4648), without padding. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(secretBytes))
}

export function toBase32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => base32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

/** `step`: which of the 30-second steps since 1970. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const number = (mac.readUInt32BE(mac[19]! & 0xf) & 0x7fff_ffff) % 1_000_000
  return String(number).padStart(6, '0')
}

/** The step that the code is of, where it is later than `lastStep`: each code counts once. `now`: milliseconds since the epoch. */
export function totpStep(secret: string, code: string, now: number, lastStep: number): number | undefined {
  const current = Math.floor(now / 1000 / stepSeconds)
  const steps = Array.from({ length: 2 * drift + 1 }, (_, n) => current - drift + n)
  return steps.findLast(
    (step) => step > lastStep && code.length === 6 && timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)),
  )
}

/** As an app reads it from a QR code. */
export function totpUri(secret: string, site: string, login: string): string {
  const label = `${encodeURIComponent(site)}:${encodeURIComponent(login)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(site)}`
}
