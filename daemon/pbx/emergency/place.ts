/** Where a phone is that calls for help, by the address from which it calls (47 CFR 9.16(b)(3)), and by which lines it calls. */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { callLines } from '../../schema/call-lines.ts'
import { isSiteTrunk, siteLines } from '../../schema/config/sites.ts'
import { parseListen } from '../../schema/config/forms.ts'
import type { Config } from '../../schema/config.ts'

export interface Place {
  /** In words, for the people who are notified; '' where nobody wrote it down. */
  readonly text: string
  /** The number at which the centre reaches it; '' for none of its own. */
  readonly callerId: string
  readonly headers: Readonly<Record<string, string>>
}

/** `source`: `address:port`, or '' where it is not known. */
export function placeOf({ emergency, site }: Pick<Config, 'emergency' | 'site'>, source: string): Place {
  const address = parseListen(source)?.host ?? ''
  const there = emergency.locations.find(({ networks }) => networks.some((network) => holds(network, address)))
  return {
    text: there?.text ?? emergency.location,
    callerId: there?.callerId ?? emergency.callerId ?? site.number ?? '',
    headers: there?.headers ?? {},
  }
}

/** Lines by which help is called, those of the section first, then all others, those to other sites last. A wrong list must not cost a life. */
export function helpTrunks(config: Config): readonly string[] {
  const lines = callLines(config)
  return [
    ...new Set([
      ...config.emergency.trunks.filter((id) => !isSiteTrunk(id)),
      ...lines.filter((line) => line.default).map(({ id }) => id),
      ...[...lines, ...siteLines(config)].map(({ id }) => id),
    ]),
  ]
}

/** All places, that of the site last: for phones of no other network. */
export function placesOf({ emergency, site }: Pick<Config, 'emergency' | 'site'>) {
  const usual = emergency.callerId ?? site.number ?? ''
  const others = emergency.locations.map(({ networks, callerId = usual, headers }) => ({ networks, callerId, headers }))
  return [...others, { networks: [], callerId: usual, headers: {} }]
}

function holds(network: string, address: string): boolean {
  if (isIP(address) === 0) return false
  const [base = '', bits] = network.split('/')
  const family = isIPv6(base) ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(base, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
