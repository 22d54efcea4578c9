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
      return `correct username and password of the trunk ${id} in the configuration: the page of the account at the provider has them`
    case 'untrusted':
      return `write caFile of the trunk ${id}, or the name into server that is in the certificate`
    case 'unreachable':
      return isIP(host) > 0 || host === ''
        ? `ping ${host === '' ? 'its server' : host}; where that answers: the firewall (${transport}), the port in server, the provider`
        : `getent hosts ${host}; no answer: the name, or DNS of this machine; else ping it, the firewall (${transport}), the provider`
    default:
      return `pbx doctor, then ask the provider of the trunk ${id}`
  }
}
