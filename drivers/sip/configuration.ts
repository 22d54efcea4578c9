/** The `configure` message of PROTOCOL.md without its type. */

export interface SipContact {
  readonly uri: string
  readonly transport: string
  readonly address: string
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
  /** The proxies on the way to a phone behind an edge, as the values of Route (RFC 3327); none unless given. */
  readonly path?: string
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
  /** Whether tones in the audio count as keys; `auto` unless given: where telephone-event was not agreed on. */
  readonly inbandDigits?: 'auto' | 'always' | 'never'
  readonly codecs: readonly string[]
  readonly allow: readonly string[]
  readonly fromDomain?: string
  /** Where calls from the trunk bear the dialled number; `auto` unless given. */
  readonly calledNumber?: 'auto' | 'request-uri' | 'to' | 'p-called-party-id'
  /** What names the caller in From of our calls; `number` unless given. */
  readonly from?: 'number' | 'account'
  /** P-Asserted-Identity or P-Preferred-Identity with our number; `none` unless given. */
  readonly identityHeader?: 'none' | 'asserted' | 'preferred'
  /** Whether a forwarded call says so; true unless given. */
  readonly diversionHeader?: boolean
  /** PEM file of the authorities a TLS server's certificate may come from; the system's list unless given. */
  readonly caFile?: string
  /** Whether the certificate and name of a TLS server are checked; true unless given. */
  readonly tlsVerify?: boolean
  /** The only realm credentials are for; any unless given. */
  readonly realm?: string
  /** Whether requests of the provider must be proven by digest; false unless given. */
  readonly authenticateInbound?: boolean
}

export interface SipExtension {
  readonly number: string
  readonly password: string
  readonly name: string
  readonly srtp: 'auto' | 'off' | 'optional' | 'required'
  /** So many may register at once, 8 at most; 8 where it is left out. */
  readonly phones?: number
  readonly contacts: readonly SipContact[]
}

export interface HelpPlan {
  /** What is dialled for each of `emergencyNumbers`. */
  readonly dial: Readonly<Record<string, string>>
  /** Trunks in this order; then all others. */
  readonly trunks: readonly string[]
  /** The first whose networks hold the address of the phone; no networks: all. `callerId` '': the first number of the trunk. */
  readonly places: readonly {
    readonly networks: readonly string[]
    readonly callerId: string
    readonly headers: Readonly<Record<string, string>>
  }[]
}

export interface SipConfiguration {
  readonly udp: string | null
  readonly tcp: string | null
  readonly tls: { readonly listen: string; readonly cert: string; readonly key: string } | null
  readonly rtpPorts: readonly [number, number]
  readonly realm: string
  /** Empty: those of /etc/resolv.conf, as it stands at any time. */
  readonly nameservers: readonly string[]
  readonly inbandDigits: boolean
  readonly mediaTimeoutSeconds: number
  readonly phoneNetworks: readonly string[]
  /** Proxies of this house in front of the box: the far end of what they pass on is in the Via below theirs. None unless given. */
  readonly edges?: readonly string[]
  /** Legs at once, 400 unless given; four more are kept for calls for help. */
  readonly calls?: number
  /** The longest registration over TCP and TLS; an hour unless given. */
  readonly connectedSeconds?: number
  /** The longest subscription to a lamp; 10 minutes, and an hour for waiting messages, unless given. */
  readonly lampSeconds?: number
  /**
   * In the form in which they are dialled. Any caller with the password of an extension may call them, registered or not. Default: none.
   */
  readonly emergencyNumbers?: readonly string[]
  /** How the engine places calls for help where no daemon does; it places none unless given. */
  readonly help?: HelpPlan
  /** The IP address at which everybody outside of `localNetworks` reaches us; none unless given. */
  readonly publicAddress?: string
  readonly localNetworks?: readonly string[]
  readonly ban: { readonly failures: number; readonly windowSeconds: number; readonly seconds: number }
  /** Limits of connections over TCP and TLS by strangers; 4, 200, 10 s and 60 s unless given. */
  readonly connections?: {
    readonly perAddress?: number
    readonly strangers?: number
    readonly requestMs?: number
    readonly proofMs?: number
  }
  readonly trunks: readonly SipTrunk[]
  readonly extensions: readonly SipExtension[]
}
