/** Who signed a request to the box. Every comparison takes the same time wherever the difference is. */
import { createHmac, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto'
import type { ProviderRequest } from '../sms.ts'
import type { Signature } from './template.ts'

export interface SignatureKeys {
  /** What the provider signs with; Telnyx: its public key, base64. */
  readonly secret: string
  /** The webhook's address as the provider calls it; '' to take the request's own. */
  readonly publicUrl: string
}

const staleSeconds = 300

export function isSigned(request: ProviderRequest, signature: Signature, keys: SignatureKeys, nowMs: number): boolean {
  if (keys.secret === '') return false
  switch (signature.kind) {
    case 'twilio':
      return twilioSigned(request, keys)
    case 'telnyx':
      return telnyxSigned(request, keys, nowMs)
    case 'hmac-sha256': {
      const given = request.headers.get(signature.header.toLowerCase()) ?? ''
      const wanted = signature.prefix + createHmac('sha256', keys.secret).update(request.body).digest(signature.encoding)
      return same(given, wanted, signature.encoding === 'hex')
    }
  }
}

function same(given: string, wanted: string, anyCase = false): boolean {
  const [a, b] = [given, wanted].map((text) => Buffer.from(anyCase ? text.toLowerCase() : text)) as [Buffer, Buffer]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** HMAC-SHA1 over the address and the sorted fields of the form, each name followed by its value. */
function twilioSigned(request: ProviderRequest, { secret, publicUrl }: SignatureKeys): boolean {
  const given = request.headers.get('x-twilio-signature') ?? ''
  const form = request.method === 'POST' ? new URLSearchParams(request.body.toString('utf8')) : new URLSearchParams()
  const names = [...new Set(form.keys())].toSorted((a, b) => (a < b ? -1 : 1))
  const fields = names
    .map((name) =>
      [...new Set(form.getAll(name))]
        .toSorted()
        .map((value) => name + value)
        .join(''),
    )
    .join('')
  const url = calledUrl(request.url, publicUrl)
  // With the port and without: Twilio's own libraries try both.
  return [url, ...otherPort(url)]
    .map((address) =>
      same(
        given,
        createHmac('sha1', secret)
          .update(address + fields, 'utf8')
          .digest('base64'),
      ),
    )
    .includes(true)
}

/** Behind a proxy the request does not know its own address. */
function calledUrl(url: string, publicUrl: string): string {
  if (publicUrl === '') return url
  const query = url.indexOf('?')
  return publicUrl.includes('?') || query === -1 ? publicUrl : publicUrl + url.slice(query)
}

function otherPort(url: string): string[] {
  const match = /^(https?):\/\/([^/:?#]+)(:\d+)?(.*)$/s.exec(url)
  if (match === null) return []
  const [, scheme, host, port, rest] = match
  if (port !== undefined) return [`${scheme}://${host}${rest}`]
  return [`${scheme}://${host}:${scheme === 'https' ? 443 : 80}${rest}`]
}

/** Ed25519 over the time, a bar and the body. */
function telnyxSigned(request: ProviderRequest, { secret }: SignatureKeys, nowMs: number): boolean {
  const time = request.headers.get('telnyx-timestamp') ?? ''
  const signature = Buffer.from(request.headers.get('telnyx-signature-ed25519') ?? '', 'base64')
  const key = publicKey(secret)
  if (key === null || signature.length !== 64 || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(nowMs / 1000 - Number(time)) > staleSeconds) return false
  return verify(null, Buffer.concat([Buffer.from(`${time}|`), request.body]), key, signature)
}

/** What stands before the 32 bytes of an Ed25519 key in DER (RFC 8410, 4). */
const keyHead = Buffer.from('302a300506032b6570032100', 'hex')

function publicKey(text: string): KeyObject | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 32 ? createPublicKey({ key: Buffer.concat([keyHead, bytes]), format: 'der', type: 'spki' }) : null
}
