/** Finds the signer of a request to the box. Every comparison takes the same time wherever the difference is. */
import { createHmac, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto'
import type { ProviderRequest } from '../sms.ts'
import type { Signature } from './template.ts'

export interface SignatureKeys {
  /** What the provider signs with; Telnyx: its public key, base64. */
  readonly secret: string
  /** The webhook's address as the provider calls it; '' to take the request's own. */
  readonly publicUrl: string
}

/** How far the clocks of both sides may differ. */
export const staleSeconds = 300

export function isSigned(request: ProviderRequest, signature: Signature, keys: SignatureKeys, nowMs: number): boolean {
  if (keys.secret === '') return false
  switch (signature.kind) {
    case 'twilio':
      return twilioSigned(request, keys)
    case 'telnyx':
      // The query is not signed.
      return request.method === 'POST' && telnyxSigned(request, keys, nowMs)
    case 'hmac-sha256':
      return hmacSigned(request, signature, keys, nowMs)
  }
}

/** What distinguishes one signed request from all others, where the signature covers a time: a second one is a replay. */
export function replayKey(request: ProviderRequest, signature: Signature): string | undefined {
  if (signature.kind === 'telnyx') return Buffer.from(request.headers.get('telnyx-signature-ed25519') ?? '', 'base64').toString('hex')
  if (signature.kind !== 'hmac-sha256' || (signature.timestampHeader ?? '') === '') return undefined
  const given = request.headers.get(signature.header.toLowerCase()) ?? ''
  return signature.encoding === 'hex' ? given.toLowerCase() : given
}

type HmacSignature = Extract<Signature, { kind: 'hmac-sha256' }>

function hmacSigned(request: ProviderRequest, signature: HmacSignature, { secret }: SignatureKeys, nowMs: number): boolean {
  const { header, prefix, encoding, signs = '{{body}}', timestampHeader = '' } = signature
  if (!signs.includes(request.method === 'POST' ? '{{body}}' : '{{query}}')) return false
  const timestamp = timestampHeader === '' ? '' : (request.headers.get(timestampHeader.toLowerCase()) ?? '')
  if (timestampHeader !== '' && !isFresh(timestamp, nowMs)) return false
  const values = { timestamp: Buffer.from(timestamp), body: request.body, query: Buffer.from(queryOf(request.url)) }
  const parts = signs.split(/\{\{(timestamp|body|query)\}\}/)
  const message = parts.map((part, index) => (index % 2 === 1 ? values[part as keyof typeof values] : Buffer.from(part)))
  const wanted = prefix + createHmac('sha256', secret).update(Buffer.concat(message)).digest(encoding)
  return same(request.headers.get(header.toLowerCase()) ?? '', wanted, encoding === 'hex')
}

/** Seconds or milliseconds since 1970. */
function isFresh(timestamp: string, nowMs: number): boolean {
  if (!/^\d{1,15}$/.test(timestamp)) return false
  const time = Number(timestamp)
  return Math.abs(nowMs - (time < 1e11 ? time * 1000 : time)) <= staleSeconds * 1000
}

/** As it was sent, without the question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
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
  const url = calledUrl(request, publicUrl)
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
function calledUrl({ method, url }: ProviderRequest, publicUrl: string): string {
  if (publicUrl === '') return url
  const query = queryOf(url)
  // What a GET says is in its query: nothing else may stand in its place.
  if (method !== 'POST') return query === '' ? publicUrl : `${publicUrl.replace(/\?.*$/s, '')}?${query}`
  return publicUrl.includes('?') || query === '' ? publicUrl : `${publicUrl}?${query}`
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
