/** A clinic's box with a leg in the office and one in the provider's network; this process plays everybody else. */
import { Engine } from '../../engine/engine.ts'
import type { SipMessage } from '../../engine/sip-peer.ts'
import type { SipConfiguration } from '../../../drivers/sip/configuration.ts'
import { Machine } from './namespaces.ts'

export const office = { box: '10.77.1.2', phone: '10.77.1.1' }
export const wan = { box: '203.0.113.2', later: '203.0.113.22', provider: '203.0.113.1' }
export const sipPort = 5060

export async function site(
  configuration: Partial<SipConfiguration> = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<{ box: Machine; engine: Engine }> {
  const box = await Machine.open()
  box.join('office', `${office.box}/24`, `${office.phone}/24`)
  box.join('wan', `${wan.box}/24`, `${wan.provider}/24`)
  box.run(`ip route add default via ${office.phone}`)
  const listen = `0.0.0.0:${sipPort}`
  const engine = await Engine.start(
    { udp: listen, tcp: listen, phoneNetworks: ['10.77.0.0/16'], ...configuration },
    environment,
    box.through,
  )
  return { box, engine }
}

/** The addresses of ours that a message shows. */
export function shown(message: SipMessage): { via: string; contact: string; media: string[] } {
  const media = [...message.body.matchAll(/^(?:c=|a=rtcp:\d+ )IN IP[46] (\S+)/gm)].map((match) => match[1] ?? '')
  return {
    via: /^SIP\/2\.0\/\w+ (\[[^\]]+\]|[^:;\s]+)/.exec(message.header('Via'))?.[1] ?? '',
    contact: /@?(\[[^\]]+\]|[\d.]+):\d+[;>]/.exec(message.header('Contact'))?.[1] ?? '',
    media: [...new Set(media)],
  }
}

/** The o= line of a description: who made it, and which version it is. */
export function origin(message: SipMessage): { version: number; rest: string } {
  const [, user, id, version, rest] = /^o=(\S+) (\d+) (\d+) (.*)$/m.exec(message.body) ?? []
  return { version: Number(version), rest: `${user} ${id} ${rest?.trim()}` }
}
