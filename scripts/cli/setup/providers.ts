/** Kinds of providers: what each needs, as far as its own pages say. None but account and address was tried with the provider itself. */
export interface Provider {
  readonly title: string
  /** Where all its customers have the same. */
  readonly server?: string
  readonly transport: 'udp' | 'tcp' | 'tls'
  /** Whether it knows us by a password that we prove, or by our address. */
  readonly register: boolean
}

export const providers = {
  account: { title: 'an account with a name and a password (most)', transport: 'udp', register: true },
  address: { title: 'a provider that knows the address of this site, without a password', transport: 'udp', register: false },
  sipgate: { title: 'sipgate trunking', server: 'sipconnect.sipgate.de', transport: 'tcp', register: true },
  telnyx: { title: 'Telnyx, with credentials', server: 'sip.telnyx.com', transport: 'tcp', register: true },
  voipms: { title: 'VoIP.ms (the server of your city, such as newyork1.voip.ms)', transport: 'udp', register: true },
} as const satisfies Record<string, Provider>
export type ProviderName = keyof typeof providers
