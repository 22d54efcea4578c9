/**
 * Who a request comes from. Only hashes of tokens are kept; a wrong token is compared with every one, each in constant time, so the
 * duration of the answer reveals nothing. An address that fails too often is refused for a while, unless its token is right.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'
import type { Table } from '../store/store.ts'
import type { TokenRow } from '../store/tables.ts'
import { addressKey } from './address.ts'
import { scopes, type Scope } from '../schema/states.ts'
import type { Access, Principal } from './route.ts'

export type WebAccess = Exclude<Access, 'technician' | 'page' | 'person'>

export interface AccessToken {
  readonly name: string
  /** Of the token, hexadecimal. */
  readonly sha256: string
  readonly scopes: readonly string[]
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number
  /** Where either is there, the token is restricted to them. */
  readonly endpoints?: readonly string[]
  readonly mailboxes?: readonly string[]
}

/** A request without the right to what it asked for. `actor`: as in the audit trail. */
export class AccessRefused extends ApiError {
  readonly actor: string

  constructor(actor: string, ...error: ConstructorParameters<typeof ApiError>) {
    super(...error)
    this.actor = actor
  }
}

export interface AuthOptions {
  /** Asked on every request, so that a new or revoked token counts at once. */
  readonly tokens: () => Iterable<AccessToken>
  /** Called on each use of a right token. */
  readonly used?: (name: string, address: string) => void
  readonly clock: Clock
  readonly failuresPerMinute: number
  readonly blockSeconds: number
}

/** What authentication reads of a request. */
export interface Credentials {
  readonly authorization: string | undefined
  address(): string
}

const everyToken = 'This request needs a valid access token.'
const mostAddresses = 10_000

/** Tokens of the configuration and those made at run time. */
export function accessTokens(configured: Iterable<AccessToken>, stored: Table<TokenRow>): () => Iterable<AccessToken> {
  return function* () {
    yield* configured
    for (const row of stored.range()) yield row.value
  }
}

export class Authentication {
  readonly #options: AuthOptions
  readonly #failures = new Map<string, { count: number; since: number; blockedUntil: number }>()
  /** Binary form of the hashes, by their text. */
  readonly #digests = new Map<string, Buffer>()

  constructor(options: AuthOptions) {
    this.#options = options
  }

  /** Whose request it is, null where the route needs nobody. Throws missing_token, invalid_token, rate_limited or scope_denied. */
  check(access: WebAccess, request: Credentials): Principal | null {
    if (access === 'public') return null
    const header = request.authorization
    if (access === 'optional') return header === undefined ? null : this.#authenticate(bearer(header), request)
    const needed = access === 'basic-token' ? 'voice' : access
    const principal = this.#authenticate(access === 'basic-token' ? basicPassword(header) : bearer(header), request)
    if (!principal.scopes.includes(needed)) {
      throw new AccessRefused(
        `token:${principal.name}`,
        'scope_denied',
        `The token "${principal.name}" does not permit this: it lacks the scope "${needed}".`,
      )
    }
    return principal
  }

  /** A signature was wrong. Throws rate_limited where that happens too often. */
  failed(address: string): void {
    const waitSeconds = this.#fail(addressKey(address))
    if (waitSeconds > 0) throw tooManyFailures('nobody', waitSeconds)
  }

  /** Throws rate_limited while the address is refused for its failures. */
  refuseBlocked(address: string): void {
    const waitSeconds = this.#blockedSeconds(addressKey(address))
    if (waitSeconds > 0) throw tooManyFailures('nobody', waitSeconds)
  }

  isBlocked(address: string): boolean {
    return this.#blockedSeconds(addressKey(address)) > 0
  }

  #authenticate(token: string | undefined, request: Credentials): Principal {
    const found = this.#find(token ?? '')
    const expired = found?.expiresAt !== undefined && found.expiresAt <= this.#options.clock.now()
    if (found !== undefined && token !== undefined && !expired) {
      this.#options.used?.(found.name, request.address())
      return principalOf(found)
    }
    const actor = found === undefined || token === undefined ? 'nobody' : `token:${found.name}`
    const waitSeconds = this.#fail(addressKey(request.address()))
    if (waitSeconds > 0) throw tooManyFailures(actor, waitSeconds)
    throw new AccessRefused(actor, token === undefined ? 'missing_token' : 'invalid_token', everyToken)
  }

  #find(token: string): AccessToken | undefined {
    const given = hash('sha256', token, 'buffer')
    for (const one of this.#options.tokens()) {
      if (timingSafeEqual(given, this.#digest(one.sha256))) return one
    }
    return undefined
  }

  #digest(sha256: string): Buffer {
    let digest = this.#digests.get(sha256)
    if (digest === undefined) {
      if (this.#digests.size >= mostAddresses) this.#digests.clear()
      digest = Buffer.from(sha256, 'hex')
      if (digest.length !== 32) throw new Error('a stored token hash is not a SHA-256')
      this.#digests.set(sha256, digest)
    }
    return digest
  }

  /** Counts a failure; seconds the address is still refused, 0 where it may try again. */
  #fail(key: string): number {
    const waitSeconds = this.#blockedSeconds(key)
    if (waitSeconds > 0) return waitSeconds
    const now = this.#options.clock.elapsed()
    let entry = this.#failures.get(key)
    if (entry === undefined || now - entry.since >= 60_000) {
      if (this.#failures.size >= mostAddresses) this.#forget(now)
      this.#failures.set(key, (entry = { count: 0, since: now, blockedUntil: 0 }))
    }
    if (++entry.count >= this.#options.failuresPerMinute) {
      entry.blockedUntil = now + this.#options.blockSeconds * 1000
      entry.count = 0
      entry.since = entry.blockedUntil
    }
    return 0
  }

  #blockedSeconds(key: string): number {
    const left = (this.#failures.get(key)?.blockedUntil ?? 0) - this.#options.clock.elapsed()
    return left > 0 ? Math.ceil(left / 1000) : 0
  }

  #forget(now: number): void {
    for (const [key, entry] of this.#failures) {
      if (entry.blockedUntil <= now && now - entry.since >= 60_000) this.#failures.delete(key)
    }
    // An attacker with that many addresses is not held up by a list of them.
    if (this.#failures.size >= mostAddresses) this.#failures.clear()
  }
}

function tooManyFailures(actor: string, waitSeconds: number): AccessRefused {
  return new AccessRefused(actor, 'rate_limited', 'Too many requests without a valid access token came from this address.', {
    retryAfterSeconds: waitSeconds,
  })
}

/** As the audit trail names who asks. */
export function actorOf(token: Principal | null): string {
  return token === null ? 'nobody' : token.person === undefined ? `token:${token.name}` : token.name
}

/** The answer's WWW-Authenticate (RFC 9110 section 11.6.1). */
export function challenge(access: Access): string {
  return access === 'basic-token' ? 'Basic realm="pbx", charset="UTF-8"' : 'Bearer realm="pbx"'
}

function principalOf({ name, scopes: given, endpoints, mailboxes }: AccessToken): Principal {
  const restricted = endpoints !== undefined || mailboxes !== undefined
  return { name, scopes: given.filter(isScope), reach: restricted ? { endpoints: endpoints ?? [], mailboxes: mailboxes ?? [] } : null }
}

function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/** RFC 6750 section 2.1; undefined where there is no credential of this kind. */
function bearer(header: string | undefined): string | undefined {
  if (header === undefined || header.length < 8 || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim()
}

/** RFC 7617. The user name is not looked at. */
function basicPassword(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, 6).toLowerCase() !== 'basic ') return undefined
  const pair = Buffer.from(header.slice(6).trim(), 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 ? undefined : pair.slice(colon + 1)
}
