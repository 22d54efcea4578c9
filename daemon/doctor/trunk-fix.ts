/** What a person does about a trunk that is down, by what is the matter with it. */
import { isIP } from 'node:net'

export interface DownTrunk {
  readonly id: string
  /** As lines have it. */
  readonly state: string
  /** As configured; undefined where nobody knows. */
  readonly server?: string | undefined
  readonly transport?: string | undefined
}

export function trunkMend({ id, state, server = '', transport = 'udp' }: DownTrunk): string {
  const host = server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  switch (state) {
    case 'refused':
      return `correct username and password of trunk ${id} in the configuration; you find them in your account at the provider`
    case 'untrusted':
      return `set caFile of trunk ${id}, or set server to the name in the certificate`
    case 'unreachable':
      return isIP(host) > 0 || host === ''
        ? `ping ${host === '' ? 'its server' : host}; if it answers, check the firewall (${transport}), the port in server, and the provider`
        : `getent hosts ${host}; if it prints nothing, check the name and the DNS of this machine; otherwise ping it, and check the firewall (${transport}) and the provider`
    default:
      return `pbx doctor, then ask the provider of trunk ${id}`
  }
}
