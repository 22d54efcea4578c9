/** The `configure` message of PROTOCOL.md without its type. */

export interface SipContact {
  readonly uri: string
  readonly transport: string
  readonly address: string
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

export interface SipTrunk {
  readonly id: string
  /** Host, or host:port; a name without port is looked up by SRV (RFC 3263). */
  readonly server: string
  readonly transport: 'udp' | 'tcp' | 'tls'
  readonly username: string
  readonly password: string
  readonly authUsername?: string
  readonly register: boolean
  readonly registerSeconds?: number
  readonly outboundProxy?: string
  readonly numbers: readonly string[]
  readonly channels: number
  readonly srtp: 'off' | 'optional' | 'required'
  readonly keepAliveSeconds: number
  readonly codecs: readonly string[]
  readonly allow: readonly string[]
  readonly fromDomain?: string
}

export interface SipExtension {
  readonly number: string
  readonly password: string
  readonly name: string
  readonly srtp: 'auto' | 'off' | 'optional' | 'required'
  readonly contacts: readonly SipContact[]
}

export interface SipConfiguration {
  readonly udp: string | null
  readonly tcp: string | null
  readonly tls: { readonly listen: string; readonly cert: string; readonly key: string } | null
  readonly rtpPorts: readonly [number, number]
  readonly realm: string
  readonly nameservers: readonly string[]
  readonly inbandDigits: boolean
  readonly mediaTimeoutSeconds: number
  readonly phoneNetworks: readonly string[]
  readonly ban: { readonly failures: number; readonly windowSeconds: number; readonly seconds: number }
  readonly trunks: readonly SipTrunk[]
  readonly extensions: readonly SipExtension[]
}
