/**
 * The one signature scheme of everything that is signed, in both directions: HMAC-SHA256 over the timestamp (Unix
 * seconds as text), a period and the raw body bytes; lowercase hexadecimal.
 */
import { createHmac, timingSafeEqual, type Hmac } from 'node:crypto'

export const signatureHeader = 'X-Service-Signature'
export const timestampHeader = 'X-Service-Timestamp'

/** How far the clocks of both sides may differ. */
export const toleranceSeconds = 300

/** Value of the signature header: `sha256=<hex>`. */
export function sign(secret: string, timestampSeconds: number, body: Uint8Array | string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex')}`
}

const watched = new Map<string, Set<(signature: string) => void>>()

/** `sent` is called with each signature that this box sends with the secret; the returned function ends that. */
export function watchSigned(secret: string, sent: (signature: string) => void): () => void {
  const all = watched.get(secret) ?? new Set()
  watched.set(secret, all.add(sent))
  return () => void (all.delete(sent) && all.size === 0 && watched.delete(secret))
}

/** Both headers, for a request that is sent now. Without a secret none: a signature that anybody can make would look like one. */
export function signedHeaders(secret: string, nowMs: number, body: Uint8Array | string): Record<string, string> {
  if (secret === '') return {}
  const seconds = Math.floor(nowMs / 1000)
  const signature = sign(secret, seconds, body)
  for (const sent of watched.get(secret) ?? []) sent(signature)
  return { [timestampHeader]: String(seconds), [signatureHeader]: signature }
}

/** As they came; either may be missing. */
export interface SignedWith {
  readonly signature?: string
  readonly timestamp?: string
}

export type Verdict = 'ok' | 'missing' | 'invalid' | 'stale'

/**
 * Compares in constant time against every secret (current and next, during a rotation). `stale` is returned only for a signature that is
 * right, so a guess learns nothing about our clock.
 */
export function verify(secrets: readonly string[], headers: SignedWith, body: Uint8Array | string, nowMs: number): Verdict {
  return new Verification(secrets, headers).update(body).verdict(nowMs)
}

/** The same of a body that comes piece by piece. */
export class Verification {
  readonly #headers: SignedWith
  readonly #hashes: readonly Hmac[]

  constructor(secrets: readonly string[], headers: SignedWith) {
    this.#headers = headers
    // The header's text is signed, not the number it stands for: leading zeros are part of the message.
    this.#hashes = secrets.map((secret) => createHmac('sha256', secret).update(`${headers.timestamp ?? ''}.`))
  }

  update(piece: Uint8Array | string): this {
    for (const hash of this.#hashes) hash.update(piece)
    return this
  }

  /** To be asked once. */
  verdict(nowMs: number): Verdict {
    const { signature = '', timestamp = '' } = this.#headers
    if (signature === '' || timestamp === '') return 'missing'
    if (!/^\d{1,15}$/.test(timestamp)) return 'invalid'
    const given = Buffer.from(signature)
    let matches = false
    for (const hash of this.#hashes) {
      const expected = Buffer.from(`sha256=${hash.digest('hex')}`)
      if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true
    }
    if (!matches) return 'invalid'
    return Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds ? 'stale' : 'ok'
  }
}
