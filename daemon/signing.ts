/**
 * The one signature scheme of everything that is signed, in both directions: HMAC-SHA256 over the timestamp (Unix
 * seconds as text), a period and the raw body bytes; lowercase hexadecimal.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const signatureHeader = 'X-Service-Signature'
export const timestampHeader = 'X-Service-Timestamp'

/** How far the clocks of both sides may differ. */
export const toleranceSeconds = 300

/** Value of the signature header: `sha256=<hex>`. */
export function sign(secret: string, timestampSeconds: number, body: Uint8Array | string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex')}`
}

/** Both headers, for a request that is sent now. Without a secret none: a signature that anybody can make would look like one. */
export function signedHeaders(secret: string, nowMs: number, body: Uint8Array | string): Record<string, string> {
  if (secret === '') return {}
  const seconds = Math.floor(nowMs / 1000)
  return { [timestampHeader]: String(seconds), [signatureHeader]: sign(secret, seconds, body) }
}

/**
 * Compares in constant time against every secret (current and next, during a rotation). `stale` is told only for a
 * signature that is right, so a guess learns nothing about our clock.
 */
export function verify(
  secrets: readonly string[],
  headers: { signature?: string; timestamp?: string },
  body: Uint8Array | string,
  nowMs: number,
): 'ok' | 'missing' | 'invalid' | 'stale' {
  const { signature, timestamp } = headers
  if (signature === undefined || signature === '' || timestamp === undefined || timestamp === '') return 'missing'
  if (!/^\d{1,15}$/.test(timestamp)) return 'invalid'
  const given = Buffer.from(signature)
  let matches = false
  for (const secret of secrets) {
    // The header's text is signed, not the number it stands for: leading zeros are part of the message.
    const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`)
    if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true
  }
  if (!matches) return 'invalid'
  return Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds ? 'stale' : 'ok'
}
