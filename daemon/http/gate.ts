/** Who comes through a door, and what is asked of them there. */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import { AccessRefused, actorOf, Authentication, type AccessToken } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { HttpLimits } from './pipeline.ts'
import { isOurs } from './hosts.ts'
import { isSigned, signer, Signatures, type Proof, type SignatureOptions } from './signature.ts'
import type { Socket } from 'node:net'
import { CallerRates } from './callers.ts'
import { RateLimit } from './rate.ts'
import { cookieOf, mustBeOwnPage, principalFor, type PeopleDoor } from './people.ts'
import type { Principal, Route } from './route.ts'
import type { TlsFiles } from './wire.ts'

export interface Visitor {
  /** Null where the route needs none and none was given, and of the technician, who needs none. */
  readonly token: Principal | null
  /** Somebody who may open the technician's socket. */
  readonly technician: boolean
  /** As the audit trail names them. */
  readonly actor: string
  /** Of a signed request: what is to be shown with its body before anything is made of it. */
  readonly proof?: Proof
}

export interface Gate {
  serves(route: Route): boolean
  /** Throws missing_token, invalid_token, rate_limited or scope_denied. */
  admit(route: Route, exchange: Exchange): Visitor | Promise<Visitor>
  /** Throws rate_limited. Returns a function to be called when the exchange has ended. */
  limit(route: Route, exchange: Exchange, visitor: Visitor): (() => void) | undefined
  /** What is said where no route fits. */
  nothingAt(path: string): string
  close(): void
}

export interface WebGateOptions {
  readonly routes: readonly Route[]
  readonly tokens: () => Iterable<AccessToken>
  /** Called on each use of a token. */
  readonly tokenUsed?: (name: string, address: string) => void
  /** Of the CRM; without it no signature is taken. */
  readonly signature?: SignatureOptions
  /** Where sessions of people are known; without it there are none. */
  readonly people?: PeopleDoor
  /** Names of this box, of which the header Host has to be one where no token is needed; without it any is. */
  readonly names?: ReadonlySet<string>
  /** Of its connections. */
  readonly tls?: TlsFiles
  readonly limits: HttpLimits
  readonly clock: Clock
  readonly log: Log
  readonly store?: Store
}

/** The web port: a token, and so many requests of each. */
export class WebGate implements Gate {
  readonly #authentication: Authentication
  readonly #signatures: Signatures | null
  readonly #rates: CallerRates
  readonly #people: PeopleDoor | undefined
  readonly #sessionRates: RateLimit
  readonly #ownRates: ReadonlyMap<Route, RateLimit>
  readonly #names: ReadonlySet<string> | undefined
  readonly #secure: boolean

  constructor({ routes, tokens, tokenUsed, signature, people, names, tls, limits, ...seen }: WebGateOptions) {
    const { clock } = seen
    this.#people = people
    this.#sessionRates = new RateLimit(sessionPerSecond, sessionBurst, clock)
    this.#secure = tls !== undefined
    this.#names = names
    this.#authentication = new Authentication({
      tokens,
      ...(tokenUsed === undefined ? {} : { used: tokenUsed }),
      clock,
      failuresPerMinute: limits.authFailuresPerMinute,
      blockSeconds: limits.authBlockSeconds,
    })
    this.#signatures =
      signature === undefined || signature.secrets.length === 0 ? null : new Signatures({ ...signature, ...seen }, this.#authentication)
    this.#rates = new CallerRates(limits.requestsPerSecond, limits.burst, clock)
    this.#ownRates = new Map(
      routes.flatMap((route) => (route.rate === undefined ? [] : [[route, perMinute(route.rate.perMinute(), clock)] as const])),
    )
  }

  serves({ access, people }: Route): boolean {
    return access === 'technician' ? people !== undefined : this.#people !== undefined || (access !== 'person' && access !== 'page')
  }

  admit(route: Route, exchange: Exchange): Visitor {
    const { anyHost } = route
    const authorization = exchange.headers.get('authorization')
    const person = authorization === undefined ? this.#admitPerson(route, exchange) : undefined
    if (person !== undefined) return person
    if (route.access === 'page' || route.access === 'person') throw new AccessRefused('nobody', 'session_ended', 'Sign in first.')
    // What people use by their roles, programs use with the right to everything.
    const access = route.access === 'technician' ? 'admin' : route.access
    const signatures = access === 'crm' ? this.#signatures : null
    const signed = signatures !== null && isSigned(exchange)
    const alone = signed && authorization === undefined && !signatures.withToken
    const token = alone ? signer : this.#authentication.check(access, { authorization, address: () => exchange.address() })
    if (!signed && signatures?.withToken === true)
      throw new AccessRefused(actorOf(token), 'missing_token', 'This request needs a signature in addition to its token.')
    exchange.known = token !== null && !alone
    if (token === null && anyHost !== true) this.#mustNameUs(exchange)
    const proof = signed ? signatures.begin(exchange, !alone) : null
    const visitor = { token, technician: false, actor: alone ? signer.name : actorOf(token) }
    return proof === null ? visitor : { ...visitor, proof }
  }

  /** Undefined where no session is given and the route does without. */
  #admitPerson(route: Route, exchange: Exchange): Visitor | undefined {
    if (this.#people === undefined) return undefined
    const { access } = route
    const open = access === 'public' || access === 'page' || (access === 'optional' && route.people === undefined)
    const cookie = open ? undefined : cookieOf(exchange, 'pbx')
    const person = cookie === undefined ? undefined : this.#people.person(cookie)
    if (person === undefined && access !== 'page') return undefined
    this.#mustNameUsToPeople(exchange)
    mustBeOwnPage(exchange)
    if (person === undefined) return { token: null, technician: false, actor: 'nobody' }
    exchange.personal = true
    const token = principalFor(person, route)
    exchange.known = true
    return { token, technician: false, actor: token.name }
  }

  #mustNameUsToPeople({ headers, client }: Exchange): void {
    if (client.proxy === 'named' || this.#names === undefined || isOurs(headers.get('host'), this.#names)) return
    throw new ApiError('host_unknown', 'This box does not know the name by which it was called: add it to http.names.')
  }

  #mustNameUs({ headers, client }: Exchange): void {
    const host = headers.get('host')
    // What a proxy of the house passes on, it has looked at. With TLS a browser has: the certificate is that of another name.
    if (this.#names === undefined || client.proxy === 'named' || client.proxy === 'silent' || this.#secure) return
    if (isOurs(host, this.#names)) return
    const authorization = headers.get('authorization')
    // A page that was led here has no token. One that is wrong counts as wherever it is needed.
    if (authorization !== undefined && this.#authentication.check('optional', { authorization, address: () => client.address }) !== null)
      return
    throw new ApiError('host_unknown', 'The box does not use this host name; add it to http.names in the configuration.')
  }

  limit(route: Route, exchange: Exchange, { token }: Visitor): (() => void) | undefined {
    let state
    let ended: (() => void) | undefined
    if (token !== null) {
      // Anybody may send a signature that is wrong: it is not at the expense of who sends a right one.
      const caller = token === signer ? `${signer.name} ${exchange.address()}` : token.name
      if (token.person !== undefined) state = this.#sessionRates.take(token.person.sessionId)
      else if (isEventStream(route)) ({ state, ended } = this.#rates.open(caller))
      else state = this.#rates.take(caller)
      exchange.rate = state
    }
    if (state === undefined || state.retrySeconds === 0) {
      const own = this.#ownRates.get(route)?.take(token?.name ?? exchange.address())
      if (own === undefined || own.retrySeconds === 0) return ended
      ended?.()
      state = exchange.rate = own
    }
    throw new ApiError('rate_limited', 'Too many requests; try again later.', { retryAfterSeconds: state.retrySeconds })
  }

  nothingAt(): string {
    return 'This address does not exist.'
  }

  close(): void {
    this.#signatures?.stop()
  }
}

/** A session has a rate of its own: a page that loads asks for several things at once. */
const sessionPerSecond = 20
const sessionBurst = 80

const isEventStream = ({ responses }: Route): boolean => responses[200]?.contentType === 'text/event-stream'

const perMinute = (most: number, clock: Clock): RateLimit => new RateLimit(most / 60, most, clock)

/** The technician's socket: who may open it may do everything. */
export class SocketGate implements Gate {
  readonly #actorOf: (socket: Socket) => Promise<string>

  /** `actorOf`: asked of what is recorded only. */
  constructor(actorOf: (socket: Socket) => Promise<string>) {
    this.#actorOf = actorOf
  }

  serves({ access }: Route): boolean {
    return access !== 'person' && access !== 'page'
  }

  admit({ deed }: Route, exchange: Exchange): Visitor | Promise<Visitor> {
    exchange.known = true
    const technician = { token: null, technician: true, actor: '' }
    return deed === undefined ? technician : this.#actorOf(exchange.res.socket).then((actor) => ({ ...technician, actor }))
  }

  limit(): undefined {}

  close(): void {}

  nothingAt(path: string): string {
    return `This daemon does not know ${path}: the pbx program may be of another version.`
  }
}
