/** Whether the listeners, the public address and the trunks belong to one network: IPv4, IPv6, or both at once. */
import { isIP } from 'node:net'
import { parseListen } from '../../schema/config/forms.ts'
import type { Config } from '../../schema/config.ts'
import type { MeaningContext } from '../meaning.ts'

const both = '"[::]:5060"'

/** 4 or 6; 0 for a name. */
const familyOf = (server: string): number => isIP(parseListen(server)?.host ?? server.replace(/^\[(.*)\]$/, '$1'))

export function checkNetworks({ sip, trunks }: Config, { fault, warning }: MeaningContext): void {
  const hosts = [sip.udp, sip.tcp, sip.tls?.listen].flatMap((text) => (text ? (parseListen(text)?.host ?? []) : []))
  if (hosts.length === 0) return
  const families = new Set(hosts.includes('::') ? [4, 6] : hosts.map((host) => (host === 'localhost' ? 4 : isIP(host))))
  if (families.size > 1 && !hosts.includes('::')) {
    fault(
      ['sip'],
      `one listener has an IPv4 address and another an IPv6 address: calls would lack one of them; write udp: ${both}, which is all of both`,
    )
    return
  }
  const write = (family: number): string => (family === 6 ? both : '0.0.0.0:5060')
  trunks.forEach((trunk, index) => {
    for (const key of ['server', 'outboundProxy'] as const) {
      const family = familyOf(trunk[key] ?? '')
      if (family === 0 || families.has(family)) continue
      fault(['trunks', index, key], `it has an IPv${family} address, and no listener has one; write sip.udp: ${write(family)}`)
    }
  })
  const place = ['sip', 'publicAddress']
  const { publicAddress } = sip
  if (publicAddress === undefined) return
  const family = isIP(publicAddress)
  if (family === 0) {
    fault(
      place,
      `"${publicAddress}" is not an IP address; where it changes or is only known by name, leave it out: registrars say what they see`,
    )
  } else if (!families.has(family)) {
    fault(place, `it is an IPv${family} address, and no listener has one; write sip.udp: ${write(family)}`)
  } else if (hosts.every((host) => host === '::1' || host === 'localhost' || host.startsWith('127.'))) {
    warning(place, 'the listeners are for this machine alone, and nobody arrives there from outside; write sip.udp: 0.0.0.0:5060')
  }
}
