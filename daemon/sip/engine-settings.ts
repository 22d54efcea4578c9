/** From the configuration to the settings of pbx-engine. */
import type { SipConfiguration, SipTrunk } from '../../drivers/sip/configuration.ts'
import { callsAtOnce } from '../config/room.ts'
import { emergencyDialled } from '../pbx/emergency/numbers.ts'
import { helpTrunks, placesOf } from '../pbx/emergency/place.ts'
import type { Config } from '../schema/config.ts'
import { channelsOfSite, siteTrunk, type SiteLink } from '../schema/config/sites.ts'
import type { Store } from '../store/store.ts'

/** How the box calls itself in SIP. */
export const sipRealm = 'pbx'

export interface SettingsGround {
  readonly store: Store
  readonly now: number
  /** Whether the box is one of two machines. */
  readonly paired: boolean
}

/** Phones have to notice when the other machine of a pair has taken over: nothing of it writes to a connection that the first one had. */
const inPair = { connectedSeconds: 60, lampSeconds: 120 }

/** Trunks, phones and listeners as `configure` of the engine's protocol, with the phones' last known places. */
export function engineSettings(config: Config, { store, now, paired }: SettingsGround): SipConfiguration {
  const { sip } = config
  const dialled = emergencyDialled(config)
  return {
    udp: sip.udp,
    tcp: sip.tcp,
    tls: sip.tls ?? null,
    rtpPorts: sip.rtpPorts,
    realm: sipRealm,
    // None: the engine asks those of the system, also when these have become others.
    nameservers: sip.nameservers ?? [],
    inbandDigits: true,
    mediaTimeoutSeconds: sip.mediaTimeoutSeconds,
    phoneNetworks: sip.phoneNetworks ?? [],
    edges: sip.edges,
    calls: callsAtOnce(sip),
    ...(paired ? inPair : {}),
    emergencyNumbers: dialled.map(([digits]) => digits),
    help: { dial: Object.fromEntries(dialled), trunks: helpTrunks(config), places: placesOf(config) },
    ...(sip.publicAddress === undefined ? {} : { publicAddress: sip.publicAddress }),
    localNetworks: sip.localNetworks,
    ban: sip.ban,
    trunks: [...config.trunks.map(trunkSettings), ...config.sites.map(siteSettings)],
    extensions: config.extensions.map((extension) => ({
      number: extension.number,
      password: extension.password,
      name: extension.name,
      srtp: extension.srtp,
      phones: extension.phones,
      contacts: (store.tables.registrations.get(extension.number)?.contacts ?? []).filter((contact) => contact.expiresAt > now),
    })),
  }
}

const trunkSettings = (trunk: Config['trunks'][number]): SipTrunk => ({
  id: trunk.id,
  server: trunk.server,
  transport: trunk.transport,
  username: trunk.username,
  password: trunk.password,
  ...(trunk.authUsername === undefined ? {} : { authUsername: trunk.authUsername }),
  register: trunk.register,
  ...(trunk.registerSeconds === undefined ? {} : { registerSeconds: trunk.registerSeconds }),
  ...(trunk.outboundProxy === undefined ? {} : { outboundProxy: trunk.outboundProxy }),
  numbers: trunk.numbers,
  channels: trunk.channels,
  srtp: trunk.srtp,
  keepAliveSeconds: trunk.keepAliveSeconds,
  codecs: trunk.codecs,
  inbandDigits: trunk.inbandDigits,
  calledNumber: trunk.calledNumber,
  from: trunk.from,
  identityHeader: trunk.identityHeader,
  diversionHeader: trunk.diversionHeader,
  allow: trunk.allow,
  ...(trunk.fromDomain === undefined ? {} : { fromDomain: trunk.fromDomain }),
  ...(trunk.caFile === undefined ? {} : { caFile: trunk.caFile }),
  tlsVerify: trunk.tlsVerify,
  ...(trunk.realm === undefined ? {} : { realm: trunk.realm }),
  authenticateInbound: trunk.authenticateInbound,
})

/** Both boxes give this name with the password that they share. */
const siteUser = 'pbx-site'

/** The line to another site, by which its box proves each call, and names callers as phones of this house see them. */
const siteSettings = ({ id, server, transport, password, caFile }: SiteLink): SipTrunk => ({
  id: siteTrunk(id),
  server,
  transport,
  username: siteUser,
  password,
  register: false,
  numbers: [],
  channels: channelsOfSite,
  srtp: transport === 'tls' ? 'required' : 'off',
  keepAliveSeconds: 5,
  codecs: ['G722', 'PCMU', 'PCMA'],
  calledNumber: 'request-uri',
  from: 'account',
  identityHeader: 'asserted',
  allow: [],
  authenticateInbound: true,
  ...(caFile === undefined ? {} : { caFile }),
})
