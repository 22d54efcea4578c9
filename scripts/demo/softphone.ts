/** The configuration of a pbx-engine that is a telephone. */
import type { SipDriver } from '../../drivers/sip/driver.ts'

export interface SoftphoneOptions {
  /** `host:port` that its calls go to. */
  readonly box: string
  /** The extension that it registers as; left out: it is the far end of a trunk. */
  readonly account?: { readonly number: string; readonly password: string }
  /** First of a thousand. */
  readonly rtpPort?: number
}

export function softphone({ box, account, rtpPort = 30_000 }: SoftphoneOptions): Parameters<SipDriver['configure']>[0] {
  return {
    udp: '127.0.0.1:0',
    tcp: null,
    tls: null,
    rtpPorts: [rtpPort, rtpPort + 999],
    realm: 'caller',
    nameservers: [],
    inbandDigits: false,
    mediaTimeoutSeconds: 30,
    phoneNetworks: [],
    ban: { failures: 5, windowSeconds: 30, seconds: 60 },
    extensions: [],
    trunks: [
      {
        id: 'box',
        server: box,
        transport: 'udp',
        username: account?.number ?? '',
        password: account?.password ?? '',
        register: account !== undefined,
        numbers: [],
        channels: 4,
        srtp: 'off',
        keepAliveSeconds: 0,
        codecs: ['PCMU', 'PCMA'],
        allow: [],
      },
    ],
  }
}
