/**
 * Signed requests of the CRM: `X-Service-Signature` over `X-Service-Timestamp`, a period and the raw body, with the secret that both sides
 * share. What the signature does not cover is bound here: over an empty body it opens GET and HEAD alone, with a body one request of that
 * method and path, once; what this box has signed itself opens nothing. Until the body is there, the request has no right to anything but
 * to be read.
 */
import type { BlockList } from 'node:net'
import { ApiError } from '../base/errors.ts'
import { signatureHeader, timestampHeader, Verification, watchSigned } from '../base/signing.ts'
import { isIn, networksOf } from './address.ts'
import { AccessRefused, type Authentication } from './auth.ts'
import type { Exchange } from './exchange.ts'
import { ProvenAddresses } from './proven.ts'
import type { Principal } from './route.ts'
import { SeenSignatures, type SeenOptions } from './seen-signatures.ts'

export interface SignatureOptions {
  /** The current one, and the next one during a rotation; none: signatures are not looked at. */
  readonly secrets: readonly string[]
  /** Whether a token is needed as well. */
  readonly withToken: boolean
  /** Addresses and networks; none: from everywhere. */
  readonly allow: readonly string[]
}

/** What is still to be shown of a request with a body. */
export interface Proof {
  /** Whether somebody is known already to whom the body is likely to belong: it may be as large as the route allows. */
  readonly likely: boolean
  /** The next piece of the body. */
  push(piece: Uint8Array): void
  /**
   * The body is complete. Throws where the signature is not that of this body: signature_invalid, timestamp_stale. Resolves when it is on
   * the disk that this signature was taken.
   */
  settle(): Promise<void>
}

/** Of addresses, for their failures. */
type Blocks = Pick<Authentication, 'failed' | 'refuseBlocked' | 'isBlocked'>

/** Who signs. A name that no token can have. */
export const signer: Principal = { name: 'signature:crm', scopes: ['crm'], reach: null }

const [signatureName, timestampName] = [signatureHeader.toLowerCase(), timestampHeader.toLowerCase()]

export const isSigned = (exchange: Exchange): boolean => exchange.headers.has(signatureName)

export class Signatures {
  readonly withToken: boolean
  readonly #options: SignatureOptions & SeenOptions
  readonly #blocks: Blocks
  readonly #allowed: BlockList | null
  readonly #taken: SeenSignatures
  readonly #sent: SeenSignatures
  readonly #proven: ProvenAddresses
  readonly #watches: readonly (() => void)[]

  constructor(options: SignatureOptions & SeenOptions, blocks: Blocks) {
    this.#options = options
    this.withToken = options.withToken
    this.#blocks = blocks
    this.#allowed = networksOf(options.allow)
    this.#proven = new ProvenAddresses(options)
    this.#taken = new SeenSignatures('taken', options)
    const sent = (this.#sent = new SeenSignatures('sent', options))
    this.#watches = options.secrets.map((secret) => watchSigned(secret, (signature) => void sent.add(signature)))
  }

  stop(): void {
    for (const end of this.#watches) end()
  }

  /**
   * Of a signed request; `known`: it has a token besides, that is right. null: nothing more has to be shown. Throws ApiError
   * `address_not_allowed`, `rate_limited`, and, of a request without a body, all that the proof throws.
   */
  begin(exchange: Exchange, known: boolean): Proof | null {
    const address = exchange.address()
    if (this.#allowed !== null && !isIn(this.#allowed, address))
      throw new AccessRefused(signer.name, 'address_not_allowed', 'Signed requests from this address are not allowed.')
    const headers = { signature: exchange.headers.get(signatureName) ?? '', timestamp: exchange.headers.get(timestampName) ?? '' }
    const verification = new Verification(this.#options.secrets, headers)
    if (exchange.method === 'GET' || exchange.method === 'HEAD') {
      this.#verify(verification, headers.signature, address)
      return null
    }
    // Whom the administrator names has not to show itself.
    const proven = this.#allowed !== null || this.#proven.has(address)
    if (exchange.hasBody && !known && !proven) this.#blocks.refuseBlocked(address)
    let bytes = 0
    const proof: Proof = {
      likely: known || (proven && !this.#blocks.isBlocked(address)),
      push: (piece) => {
        bytes += piece.length
        verification.update(piece)
      },
      settle: () => {
        this.#verify(verification, headers.signature, address)
        if (bytes === 0) throw new ApiError('validation_failed', 'A signed request that changes something needs a signed body: send {}.')
        return this.#once(`${headers.signature} ${exchange.method} ${decodeURIComponent(exchange.path)}`)
      },
    }
    if (!exchange.hasBody) void proof.settle()
    return proof
  }

  #verify(verification: Verification, signature: string, address: string): void {
    const now = this.#options.clock.now()
    const verdict = verification.verdict(now)
    if (verdict === 'stale')
      throw new ApiError('timestamp_stale', 'The timestamp of the signature differs too much from the time here.', {
        extra: { serverTime: Math.floor(now / 1000) },
      })
    if (verdict !== 'ok') {
      this.#blocks.failed(address)
      throw new AccessRefused('nobody', 'signature_invalid', 'The signature does not match this request.')
    }
    if (this.#sent.has(signature))
      throw new AccessRefused(
        signer.name,
        'signature_invalid',
        'The box itself has used this signature: sign again with a time one second later.',
      )
    this.#proven.add(address)
  }

  /** Taken once: a client that means it twice signs it again, a second later. */
  #once(request: string): Promise<void> {
    if (this.#taken.has(request)) throw new AccessRefused(signer.name, 'signature_invalid', 'This signed request was already accepted.')
    return this.#taken.add(request)
  }
}
