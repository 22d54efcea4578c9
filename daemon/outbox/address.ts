/**
 * Where requests to applications may go. Private networks are legitimate: applications live in the clinic's network.
 * Link-local, multicast, broadcast and "this network" addresses never are, nor are our own ports, in any spelling.
 */
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { attemptMs } from '../../drivers/connect-patience.ts'
import { passOverContinue } from '../../drivers/unasked-continue.ts'
import { Agent, buildConnector } from '../base/http-client.ts'
import { parseIPv6, unwrapIPv4 } from '../base/ip.ts'

export interface AddressPolicy {
  /** All programs on this machine but the box itself. */
  allowLoopback: boolean
  /** `host:port` of the applications that the administrator configured: on this machine, and besides the listed hosts. */
  configured?: ReadonlySet<string>
  /** Whether http:// may leave the private networks. Bodies have keys, transcripts and numbers of callers in them. */
  allowPlainHttp?: boolean
  /** No address of a private network: nothing that is asked for there lies in the house. */
  publicOnly?: boolean
  /** Characters of a URL; 2048 unless given. */
  longestUrl?: number
  /** Ports the PBX itself listens on: refused on every address of this machine. */
  ownPorts?: readonly number[]
  /** Where given, these host names and addresses only; `*.example.com` covers all names below. */
  allowedHosts?: readonly string[]
}

/** Ports of well-known services that are not HTTP: a request there could be read as commands. */
const deniedPorts = new Set([
  20, 21, 22, 23, 25, 53, 69, 110, 111, 119, 123, 135, 137, 139, 143, 161, 179, 389, 445, 465, 512, 513, 514, 515, 587, 636, 993, 995, 1433,
  2049, 3306, 3389, 5038, 5060, 5061, 5432, 5900, 6379, 8021, 11211, 27017,
])

const longestUrl = 2048

/** The checks that need no name resolution: at submission, and again before each attempt. */
export function checkUrl(text: string, policy: AddressPolicy): { ok: true; url: URL } | { ok: false; reason: string } {
  const refuse = (reason: string): { ok: false; reason: string } => ({ ok: false, reason })
  const longest = policy.longestUrl ?? longestUrl
  if (text.length > longest) return refuse(`the URL is longer than ${longest} characters`)
  // URL drops line breaks and tabs silently, so the text itself is looked at.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return refuse('the URL contains a space, a line break or a backslash')
  const url = URL.parse(text)
  if (url === null) return refuse('this is not an absolute URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('the URL must begin with http:// or https://')
  if (url.username !== '' || url.password !== '') return refuse('the URL must not contain a user name or password')
  const port = portOf(url)
  if (port === 0 || deniedPorts.has(port)) return refuse(`port ${port} belongs to a service that is not HTTP`)
  const host = hostOf(url)
  const listed = policy.configured?.has(`${url.hostname}:${port}`) !== true
  if (listed && policy.allowedHosts !== undefined && !policy.allowedHosts.some((allowed) => matches(host, allowed.toLowerCase()))) {
    return refuse(`${host} is not among the hosts of callbacks.allowedHosts in the configuration`)
  }
  if (host === 'localhost' || host.endsWith('.localhost')) {
    const reason = addressRefusal('127.0.0.1', port, policy, url)
    return reason === undefined ? { ok: true, url } : refuse(reason)
  }
  if (isIP(host) !== 0) {
    const reason = addressRefusal(host, port, policy, url)
    if (reason !== undefined) return refuse(reason)
  }
  return { ok: true, url }
}

/** The scheme and host of a URL, as `URL` has them. */
interface Target {
  readonly protocol: string
  readonly hostname: string
}

/** Why no connection may be made to this address, to which the host of `target` was resolved, or undefined where it may. */
export function addressRefusal(address: string, port: number, policy: AddressPolicy, target: Target): string | undefined {
  const zoneless = address.replace(/%.*$/, '')
  const groups = isIPv4(zoneless) ? undefined : parseIPv6(zoneless)
  const v4 = isIPv4(zoneless) ? zoneless : groups && unwrapIPv4(groups)
  if (v4 === undefined && groups === undefined) return `${address} is not an address`
  const refused = v4 === undefined ? refusedV6(groups!) : refusedV4(v4)
  if (refused !== undefined) return `${address} is ${refused} address`
  const loopback = v4 === undefined ? groups!.slice(0, 7).every((group) => group === 0) : v4.startsWith('127.')
  if (policy.ownPorts?.includes(port) && (loopback || isOurs(v4 ?? zoneless)))
    return `port ${port} of this machine is the telephone system itself`
  if (loopback && !policy.allowLoopback && !isConfigured(address, port, policy, target)) {
    const unless = policy.configured === undefined ? '' : `no voice endpoint is configured with port ${port} of it, and `
    return `${address} is this machine itself: ${unless}callbacks.allowLoopback is not true in the configuration`
  }
  const isPrivate = v4 === undefined ? isPrivateV6(groups!) : isPrivateV4(v4)
  if (policy.publicOnly === true && isPrivate && !loopback) return `${address} is an address of a private network`
  if (target.protocol === 'http:' && policy.allowPlainHttp !== true && !isPrivate) {
    return `${address} is a public address, to which http:// sends unencrypted data; use https://, or callbacks.allowPlainHttp: true in the configuration`
  }
  return undefined
}

function isConfigured(address: string, port: number, { configured }: AddressPolicy, { hostname }: Target): boolean {
  const literal = address.includes(':') ? `[${address}]` : address
  return configured !== undefined && (configured.has(`${hostname}:${port}`) || configured.has(`${literal}:${port}`))
}

/** Networks that the internet does not route (the registries of RFC 6890 that are not globally reachable). */
function isPrivateV4(address: string): boolean {
  const [a = 0, b = 0, c = 0] = address.split('.').map(Number)
  if (a === 10 || a === 127 || (a === 172 && b >= 16 && b <= 31) || (a === 100 && b >= 64 && b <= 127)) return true
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2))
  return (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) || (a === 203 && b === 0 && c === 113)
}

function isPrivateV6(groups: readonly number[]): boolean {
  const [first = 0, second = 0] = groups
  return (first & 0xfe00) === 0xfc00 || (first === 0x2001 && second === 0xdb8) || groups.slice(0, 7).every((group) => group === 0)
}

function refusedV4(address: string): string | undefined {
  const [a = 0, b = 0] = address.split('.').map(Number)
  if (a === 0) return 'an unspecified (this network)'
  if (a === 169 && b === 254) return 'a link-local'
  if (a >= 224 && a <= 239) return 'a multicast'
  if (a >= 240) return 'a broadcast or reserved'
  return undefined
}

function refusedV6(groups: readonly number[]): string | undefined {
  const first = groups[0]!
  if (groups.every((group) => group === 0)) return 'an unspecified'
  if ((first & 0xffc0) === 0xfe80) return 'a link-local'
  if ((first & 0xffc0) === 0xfec0) return 'a site-local'
  // RFC 8215: what stands behind it is the translator's own affair, and may be this machine.
  if (first === 0x64 && groups[1] === 0xff9b && groups[2] === 1) return 'a locally translated'
  if ((first & 0xff00) === 0xff00) return 'a multicast'
  return undefined
}

function isOurs(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === address))
}

function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function matches(host: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed
}

export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

export interface AgentOptions {
  connectTimeoutMs: number
  /** Connections to one origin. */
  connections?: number
  /** Whether a connection serves one request after another, which is so unless it is said. */
  readonly kept?: boolean
  /** Of connections by https. */
  readonly tls?: { readonly ca?: string; readonly rejectUnauthorized?: boolean }
  /** Name resolution, replaced in tests. */
  resolve?: (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void
}

/** To applications, while a caller waits. */
export const controlConnections = { connectTimeoutMs: 2000, connections: 20 } as const satisfies AgentOptions

const resolveName: NonNullable<AgentOptions['resolve']> = (host, done) =>
  resolve(host, { all: true, verbatim: true }, (error, addresses) => done(error, addresses ?? []))

/** Looks names up for a connection to `port` of `target`, and gives it the addresses that the policy permits. */
export function guardedLookup(policy: AddressPolicy, target: Target, port: number, resolveAll = resolveName): LookupFunction {
  return (name, asked, found) => {
    resolveAll(name, (error, addresses) => {
      if (error !== null) return found(error, '', 0)
      const reasons = addresses.map(({ address }) => addressRefusal(address, port, policy, target))
      const permitted = addresses.filter((_, index) => reasons[index] === undefined)
      if (permitted.length === 0) return found(new AddressRefused(reasons[0] ?? `${name} has no address`), '', 0)
      if (asked.all === true) return found(null, permitted)
      found(null, permitted[0]!.address, permitted[0]!.family)
    })
  }
}

/**
 * An HTTP client whose connections obey the policy: the name is resolved once, each address is checked, and the
 * connection goes to one of those that passed. A name that changes its mind between check and use gains nothing.
 */
export function guardedAgent(policy: AddressPolicy, options: AgentOptions): Agent {
  return passOverContinue(agentOf(policy, options))
}

function agentOf(policy: AddressPolicy, options: AgentOptions): Agent {
  const resolveAll = options.resolve ?? resolveName
  return new Agent({
    connections: options.connections ?? null,
    pipelining: options.kept === false ? 0 : 1,
    // Below the 5 s of many servers, so that a connection is seldom used in the moment in which it closes.
    keepAliveTimeout: 4000,
    connect(target, done) {
      const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
      const host = target.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0) {
        const reason = addressRefusal(host, port, policy, target)
        if (reason !== undefined) {
          done(new AddressRefused(reason), null)
          return
        }
      }
      const connector = buildConnector({
        ...options.tls,
        allowH2: false,
        timeout: options.connectTimeoutMs,
        autoSelectFamilyAttemptTimeout: attemptMs(options.connectTimeoutMs),
        lookup: guardedLookup(policy, target, port, resolveAll),
      })
      connector(target, done)
    },
  })
}
