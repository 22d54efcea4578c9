/** Who comes through a door, and what is asked of them there. */
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import { AccessRefused, actorOf, Authentication, type AccessToken } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { HttpLimits } from './pipeline.ts'
import { signer, Signatures, type Proof, type SignatureOptions } from './signature.ts'
import { RateLimit } from './rate.ts'
import type { Principal, Route } from './route.ts'
import type { WireResponse } from './wire.ts'

export interface Visitor {
  /** Null where the route needs none and none was given, and of the technician, who needs none. */
  readonly token: Principal | null
  /** Somebody who may open the technician's socket. */
  readonly technician: boolean
  /** As the audit trail names them. */
  readonly actor: string
  /** Of a signed request: to be called with its body before anything is made of it. */
  readonly proof?: Proof
}

export interface Gate {
  serves(route: Route): boolean
  /** Throws missing_token, invalid_token, rate_limited or scope_denied. */
  admit(route: Route, exchange: Exchange): Visitor | Promise<Visitor>
  /** Throws rate_limited. */
  limit(route: Route, exchange: Exchange, visitor: Visitor): void
  /** What is said where no route fits. */
  nothingAt(path: string): string
}

export interface WebGateOptions {
  readonly routes: readonly Route[]
  readonly tokens: () => Iterable<AccessToken>
  /** Told of each use of a token. */
  readonly tokenUsed?: (name: string, address: string) => void
  /** Of the CRM; without it no signature is taken. */
  readonly signature?: SignatureOptions
  readonly limits: HttpLimits
  readonly clock: Clock
}

/** The web port: a token, and so many requests of each. */
export class WebGate implements Gate {
  readonly #authentication: Authentication
  readonly #signatures: Signatures | null
  readonly #rate: RateLimit
  readonly #ownRates: ReadonlyMap<Route, RateLimit>

  constructor({ routes, tokens, tokenUsed, signature, limits, clock }: WebGateOptions) {
    this.#authentication = new Authentication({
      tokens,
      ...(tokenUsed === undefined ? {} : { used: tokenUsed }),
      clock,
      failuresPerMinute: limits.authFailuresPerMinute,
      blockSeconds: limits.authBlockSeconds,
    })
    this.#signatures =
      signature === undefined || signature.secrets.length === 0
        ? null
        : new Signatures({ ...signature, clock }, (address) => this.#authentication.failed(address))
    this.#rate = new RateLimit(limits.requestsPerSecond, limits.burst, clock)
    this.#ownRates = new Map(
      routes.flatMap((route) => (route.rate === undefined ? [] : [[route, perMinute(route.rate.perMinute(), clock)] as const])),
    )
  }

  serves({ access }: Route): boolean {
    return access !== 'technician'
  }

  admit({ access }: Route, exchange: Exchange): Visitor {
    if (access === 'technician') throw new Error('a route of the technician is not served here')
    const authorization = exchange.headers.get('authorization')
    const signatures = access === 'crm' ? this.#signatures : null
    const proof = signatures?.begin(exchange) ?? null
    if (proof !== null && authorization === undefined && signatures?.withToken === false)
      return { token: signer, technician: false, actor: signer.name, proof }
    const token = this.#authentication.check(access, {
      authorization,
      forwarded: exchange.headers.has('x-forwarded-for') || exchange.headers.has('forwarded'),
      address: () => exchange.address(),
    })
    if (proof === null && signatures?.withToken === true)
      throw new AccessRefused(actorOf(token), 'missing_token', 'This request needs a signature beside its token.')
    return { token, technician: false, actor: actorOf(token), ...(proof === null ? {} : { proof }) }
  }

  limit(route: Route, exchange: Exchange, { token }: Visitor): void {
    let state
    // Anybody may send a signature that is wrong: it is not at the expense of who sends a right one.
    if (token !== null) state = exchange.rate = this.#rate.take(token === signer ? `${signer.name} ${exchange.address()}` : token.name)
    if (state === undefined || state.retrySeconds === 0) {
      const own = this.#ownRates.get(route)?.take(token?.name ?? exchange.address())
      if (own === undefined || own.retrySeconds === 0) return
      state = exchange.rate = own
    }
    throw new ApiError('rate_limited', 'Too many requests; try again later.', { retryAfterSeconds: state.retrySeconds })
  }

  nothingAt(): string {
    return 'There is nothing at this address.'
  }
}

const perMinute = (most: number, clock: Clock): RateLimit => new RateLimit(most / 60, most, clock)

/** The technician's socket: who may open it may do everything. */
export class SocketGate implements Gate {
  readonly #actorOf: (res: WireResponse) => Promise<string>

  /** `actorOf`: asked of what is recorded only. */
  constructor(actorOf: (res: WireResponse) => Promise<string>) {
    this.#actorOf = actorOf
  }

  serves(): boolean {
    return true
  }

  admit({ deed }: Route, { res }: Exchange): Visitor | Promise<Visitor> {
    const technician = { token: null, technician: true, actor: '' }
    return deed === undefined ? technician : this.#actorOf(res).then((actor) => ({ ...technician, actor }))
  }

  limit(): void {}

  nothingAt(path: string): string {
    return `This daemon does not know ${path}: the pbx program may be of another version.`
  }
}
