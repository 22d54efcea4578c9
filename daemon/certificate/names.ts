/** The names and addresses by which people, phones and programs reach the box: those of its certificate. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isIn, isLoopback, networksOf } from '../http/address.ts'
import { namesOf } from '../http/hosts.ts'
import { parseListen } from '../schema/config/forms.ts'

export interface BoxNames {
  /** In lower case; the first is the host name. */
  readonly names: readonly string[]
  readonly addresses: readonly string[]
}

/** Where the authority of a box may sign for any address: nobody reaches these from elsewhere (RFC 1918, RFC 3927, RFC 4193, RFC 4291). */
export const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'] as const
const ofPrivate = networksOf(privateNetworks)!

export const isPrivate = (address: string): boolean => isIn(ofPrivate, address)

const aName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9][a-z0-9-]{0,62})*$/
/** What every machine calls itself, so that it names none. */
const everywhere = /^(localhost(\..*)?|ip6-.*|.*\.localdomain)$/

/** `config`: read, or as its file has it, which may be faulty. */
export function boxNames(config: unknown): BoxNames {
  const of = (path: string): unknown => path.split('.').reduce<unknown>((value, key) => treeOf(value)[key], config)
  const more = [...listOf(of('http.names')), ...listOf([of('provisioning.server')])].filter((name) => isIP(name) === 0)
  const names = [...namesOf(more)].filter((name) => aName.test(name) && !everywhere.test(name))
  const hosts = ['http.listen', 'sip.tls.listen'].flatMap((path) => parseListen(String(of(path)))?.host ?? [])
  const named = [...hosts, ...listOf([of('provisioning.server')])].filter((host) => isIP(host) !== 0 && !isEvery(host))
  return {
    names,
    addresses: [...new Set([...named, ...ownAddresses()])].filter((address) => named.includes(address) || !isLoopback(address)),
  }
}

/** Of IPv6 those that stay: a public one changes by itself every day. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list = []) => list)
  return all
    .filter(({ internal, family, address }) => !internal && (family === 'IPv4' || (isPrivate(address) && !address.startsWith('fe80'))))
    .map(({ address }) => address)
}

const isEvery = (host: string): boolean => host === '0.0.0.0' || host === '::'

function treeOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])
