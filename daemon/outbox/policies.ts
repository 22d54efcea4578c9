/** Where requests of the box may go, as the configuration allows; never to its own ports. */
import type { AddressPolicy } from './address.ts'
import type { Config } from '../schema/config.ts'

export interface Policies {
  /** Status callbacks. */
  readonly callback: AddressPolicy
  /** Control, action, redirect, play and stream URLs: those of the applications that are configured, also on this machine. */
  readonly control: AddressPolicy
  /** The CRM is where the administrator says it is, also on this machine. */
  readonly crm: AddressPolicy
  /** Pictures of texts: where the provider says they are. */
  readonly media: AddressPolicy
  /** Pictures of texts at the provider's own address, which is where the administrator says it is. */
  readonly provider: AddressPolicy
}

/** A provider's address may hold a signature and a session of its storage. */
const longestMediaUrl = 4096

export function policiesOf(config: Config): Policies {
  const { allowLoopback, allowPlainHttp, allowedHosts } = config.callbacks
  const shared = { ownPorts: ownListeners(config), allowPlainHttp, ...(allowedHosts === undefined ? {} : { allowedHosts }) }
  return {
    callback: { ...shared, allowLoopback },
    control: { ...shared, allowLoopback, configured: applicationsOf(config) },
    crm: { ownPorts: shared.ownPorts, allowPlainHttp, allowLoopback: true },
    media: { ownPorts: shared.ownPorts, allowLoopback, publicOnly: true, longestUrl: longestMediaUrl },
    provider: { ownPorts: shared.ownPorts, allowLoopback: true, longestUrl: longestMediaUrl },
  }
}

/** Changes the same objects to the present configuration: code that asks for addresses has them already. */
export function renewPolicies(policies: Policies, config: Config): void {
  const { callback, control, crm, media, provider } = policiesOf(config)
  for (const [policy, now] of [
    [policies.callback, callback],
    [policies.control, control],
    [policies.crm, crm],
    [policies.media, media],
    [policies.provider, provider],
  ] as const) {
    delete policy.allowedHosts
    Object.assign(policy, now)
  }
}

/** `host:port` of each configured application; one that is called localhost has both of its addresses. */
function applicationsOf(config: Config): Set<string> {
  const urls = config.voice.endpoints.flatMap(({ controlUrl, fallbackUrl }) => [controlUrl, fallbackUrl])
  return new Set(
    urls.flatMap((text) => {
      const url = text === undefined ? null : URL.parse(text)
      if (url === null) return []
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
      const hosts = url.hostname === 'localhost' ? ['localhost', '127.0.0.1', '[::1]'] : [url.hostname]
      return hosts.map((host) => `${host}:${port}`)
    }),
  )
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
