/** Where requests of the box may go: callbacks as the configuration allows, control requests to this machine too; never to its own ports. */
import type { AddressPolicy } from './outbox/address.ts'
import type { Config } from './schema/config.ts'

export interface Policies {
  readonly callback: AddressPolicy
  readonly control: AddressPolicy
}

export function policiesOf(config: Config): Policies {
  const ownPorts = ownListeners(config)
  const { allowLoopback, allowedHosts } = config.callbacks
  return {
    callback: { allowLoopback, ownPorts, ...(allowedHosts === undefined ? {} : { allowedHosts }) },
    control: { allowLoopback: true, ownPorts },
  }
}

/** Ports on this machine that no callback may reach. */
function ownListeners(config: Config): number[] {
  return [config.http.listen, config.sip.udp, config.sip.tcp, config.sip.tls?.listen ?? null].flatMap((listen) => {
    const port = Number(listen?.slice(listen.lastIndexOf(':') + 1))
    return Number.isInteger(port) && port > 0 ? [port] : []
  })
}

/** The secret of that name, as the outbox stores it: `callbacks` or `endpoint:<id>`. */
export function secretOf(config: Config, name: string): string | undefined {
  if (name === 'callbacks') return config.callbacks.secret
  return config.voice.endpoints.find((endpoint) => `endpoint:${endpoint.id}` === name)?.secret
}
