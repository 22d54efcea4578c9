/**
 * A proxy in front of the box (`edges`), of which the test writes every line: a phone that speaks through it stands in the Via below its
 * own.
 */
import { SipPeer, token } from './sip-peer.ts'

export const edgeAddress = '127.0.0.50'

export interface Behind {
  /** Where the proxy got it from: `received` of the lower Via. */
  readonly received?: string
  readonly rport?: string
  readonly sentBy?: string
}

/** The lower Via of the host `behind` the proxy. */
export function lowerVia({ received, rport, sentBy = '192.168.9.9:5060' }: Behind): string {
  const seen = received === undefined ? '' : `;received=${received}`
  return `Via: SIP/2.0/UDP ${sentBy};branch=z9hG4bK${token()}${rport === undefined ? '' : `;rport=${rport}`}${seen}`
}

/** A peer all of whose requests have the lines of `more` below its own Via. */
export async function peerWith(target: number, address: string, more: () => string, port = 0): Promise<SipPeer> {
  const peer = await SipPeer.udp(target, address, '127.0.0.1', port)
  const own = peer.via.bind(peer)
  peer.via = () => [own(), ...[more()].filter((line) => line !== '')].join('\r\n')
  return peer
}

/** What somebody sends through the proxy. */
export function behindEdge(target: number, behind: Behind): Promise<SipPeer> {
  return peerWith(target, edgeAddress, () => lowerVia(behind))
}
