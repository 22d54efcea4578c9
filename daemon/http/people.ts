/**
 * A person who comes through the web port: a page of the box sends the cookie of a session. What another site's page makes a browser
 * send is refused (Fetch Metadata; Origin where a browser knows none), and so is a Host that is not this box's (DNS rebinding).
 */
import { ApiError } from '../base/errors.ts'
import type { Role } from '../schema/people.ts'
import { isLoopback } from './address.ts'
import { AccessRefused } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { PersonAtDoor, Principal, Route } from './route.ts'

/** Who knows the sessions. */
export interface PeopleDoor {
  /** Whose session the cookie opens; undefined for none. */
  person(cookie: string): PersonAtDoor | undefined
}

export type CookieName = 'pbx' | 'pbx-browser' | 'pbx-wall'

/** With the prefix that ties a cookie to this host and to TLS (RFC 6265bis section 4.1.3); loopback has no TLS. */
const fullName = (name: CookieName, secure: boolean): string => (secure ? `__Host-${name}` : name)

/** Throws ApiError `https_needed` where the connection would show the cookie to the network. */
function isSecure(exchange: Pick<Exchange, 'client'>): boolean {
  const { secure, address } = exchange.client
  if (secure === true) return true
  if (isLoopback(address)) return false
  throw new ApiError('https_needed', 'Sign in over https: what is sent here can be read on the network.')
}

export function cookieOf(exchange: Pick<Exchange, 'client' | 'headers'>, name: CookieName): string | undefined {
  const header = exchange.headers.get('cookie')
  if (header === undefined) return undefined
  const prefix = `${fullName(name, exchange.client.secure === true)}=`
  const found = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
  // Of two with one name somebody else may have set one.
  return found.length === 1 ? found[0]!.slice(prefix.length) : undefined
}

/** The value of Set-Cookie. `seconds`: 0 removes it. */
export function cookie(exchange: Pick<Exchange, 'client'>, name: CookieName, value: string, seconds: number): string {
  const secure = isSecure(exchange)
  return `${fullName(name, secure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}

const safeMethods: readonly string[] = ['GET', 'HEAD']

/** Throws ApiError `cross_site` for what another site's page had a browser send. */
export function mustBeOwnPage({ method, headers }: Pick<Exchange, 'method' | 'headers'>): void {
  if (safeMethods.includes(method)) return
  const site = headers.get('sec-fetch-site')
  const own = site === undefined ? isOwnOrigin(headers.get('origin'), headers.get('host')) : site === 'same-origin'
  if (!own) throw new ApiError('cross_site', 'This request did not come from a page of this box.')
}

function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
}

/** Whether the person may use the route, as its principal. Throws ApiError `role_denied`, `locked` or `second_step_needed`. */
export function principalFor(person: PersonAtDoor, { people, evenLocked, beforeSecondStep }: Route): Principal {
  const actor = `person:${person.login}`
  if (person.locked && evenLocked !== true) throw locked()
  if (person.needsSecondStep && beforeSecondStep !== true)
    throw new ApiError('second_step_needed', 'Set up the second step first: an authenticator app on your telephone.')
  if (people === undefined || !people.some((role) => person.roles.includes(role)))
    throw new AccessRefused(actor, 'role_denied', `The ${rolesText(person.roles)} may not do this.`)
  return { name: actor, scopes: [], reach: null, person }
}

const rolesText = (roles: readonly Role[]): string =>
  roles.length === 1 ? `role "${roles[0]}"` : `roles ${roles.map((role) => `"${role}"`).join(' and ')}`

export function locked(): ApiError {
  return new ApiError('locked', 'The session is locked; the password or the PIN opens it.')
}
