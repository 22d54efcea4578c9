/** The proxies of the house in front of the box (`sip.edges`): known by their addresses, and no trunk's server. */
import { BlockList, isIP } from 'node:net'
import { parseListen } from '../../schema/config/forms.ts'
import type { Config } from '../../schema/config.ts'
import { checkNetwork, type MeaningContext } from '../meaning.ts'

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

export function checkEdges({ sip, trunks }: Config, context: MeaningContext): void {
  const edges = new BlockList()
  sip.edges.forEach((network, index) => {
    let good = true
    checkNetwork(['sip', 'edges', index], network, { ...context, fault: (...said) => ((good = false), context.fault(...said)) })
    if (!good) return
    const [address = '', bits] = network.split('/')
    edges.addSubnet(address, bits === undefined ? (isIP(address) === 6 ? 128 : 32) : Number(bits), familyOf(address))
  })
  trunks.forEach(({ server }, index) => {
    const host = parseListen(server)?.host ?? server.replace(/^\[(.*)\]$/, '$1')
    if (isIP(host) === 0 || !edges.check(host, familyOf(host))) return
    const text = `${host} is an edge (sip.edges), behind which are phones, too`
    context.fault(['trunks', index, 'server'], `${text}; write the provider as server and ${server} as outboundProxy`)
  })
}
