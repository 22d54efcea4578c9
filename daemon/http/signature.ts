/**
 * Signed requests of the CRM: `X-Service-Signature` over `X-Service-Timestamp`, a period and the raw body, with the secret that both sides
 * share. The signature is looked at when the body is there; until then the request has no right to anything but to be read.
 */
import { BlockList, isIPv6 } from 'node:net'
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import { signatureHeader, timestampHeader, toleranceSeconds, verify } from '../signing.ts'
import { AccessRefused } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { Principal } from './route.ts'

export interface SignatureOptions {
  /** The current one, and the next one during a rotation; none: signatures are not looked at. */
  readonly secrets: readonly string[]
  /** Whether a token is needed beside it. */
  readonly withToken: boolean
  /** Addresses and networks; none: from everywhere. */
  readonly allow: readonly string[]
}

/** Throws where the signature is not that of this body: signature_invalid, timestamp_stale. */
export type Proof = (body: Uint8Array) => void

/** Who signs. A name that no token can have. */
export const signer: Principal = { name: 'signature:crm', scopes: ['crm'], reach: null }

const [signatureName, timestampName] = [signatureHeader.toLowerCase(), timestampHeader.toLowerCase()]
/** So long a signature may come again: the clocks of both sides may differ either way. */
const replayMs = 2 * toleranceSeconds * 1000
const mostSeen = 50_000

export class Signatures {
  readonly withToken: boolean
  readonly #options: SignatureOptions & { readonly clock: Clock }
  readonly #allowed: BlockList | null
  /** Signatures of bodies that were taken, the oldest first, and when. */
  readonly #seen = new Map<string, number>()
  /** Told of a signature that is wrong. */
  readonly #failed: (address: string) => void

  constructor(options: SignatureOptions & { readonly clock: Clock }, failed: (address: string) => void) {
    this.#options = options
    this.withToken = options.withToken
    this.#failed = failed
    this.#allowed = options.allow.length === 0 ? null : networksOf(options.allow)
  }

  /** null: the request has no signature. Throws ApiError `address_not_allowed`. */
  begin(exchange: Exchange): Proof | null {
    const signature = exchange.headers.get(signatureName)
    if (signature === undefined) return null
    const address = exchange.address()
    if (this.#allowed?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') === false)
      throw new AccessRefused(signer.name, 'address_not_allowed', 'Signed requests from this address are not allowed.')
    const timestamp = exchange.headers.get(timestampName) ?? ''
    return (body) => this.#prove({ signature, timestamp }, body, address)
  }

  #prove(headers: { readonly signature: string; readonly timestamp: string }, body: Uint8Array, address: string): void {
    const { secrets, clock } = this.#options
    const now = clock.now()
    const verdict = verify(secrets, headers, body, now)
    if (verdict === 'stale')
      throw new ApiError('timestamp_stale', 'The timestamp of the signature differs too much from the time here.', {
        extra: { serverTime: Math.floor(now / 1000) },
      })
    if (verdict !== 'ok') {
      this.#failed(address)
      throw new AccessRefused('nobody', 'signature_invalid', 'The signature is not that of this request.')
    }
    if (body.length > 0) this.#once(headers.signature)
  }

  /** A body that was taken is not taken again under the same signature: whoever means it twice signs it anew, a second later. */
  #once(signature: string): void {
    const now = this.#options.clock.elapsed()
    for (const [old, at] of this.#seen) {
      if (now - at < replayMs && this.#seen.size < mostSeen) break
      this.#seen.delete(old)
    }
    if (this.#seen.has(signature)) throw new AccessRefused(signer.name, 'signature_invalid', 'This signed request was taken before.')
    this.#seen.set(signature, now)
  }
}

/** The body of a request that is read piece by piece: nothing of it is handed on before all of it was proven. */
export async function* provenUpload(upload: AsyncIterable<Uint8Array>, proof: Proof): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of upload) chunks.push(chunk)
  proof(Buffer.concat(chunks))
  yield* chunks
}

function networksOf(allow: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of allow) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return list
}
