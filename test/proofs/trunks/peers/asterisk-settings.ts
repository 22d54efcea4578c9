/**
 * The settings of Asterisk: an account for each thing that is tried, with its own options, and a dial plan whose numbers say what happens.
 */
import { directories, section } from '../../fax/asterisk/settings.ts'

/** Options of an account in addition to its name and password. */
export type Account = Readonly<Record<string, string>>

export const accounts = {
  plain: {},
  tcp: {},
  tls: {},
  srtp: { media_encryption: 'sdes' },
  srv: {},
  address: {},
  proxy: {},
  first: {},
  second: {},
  six: { rtp_ipv6: 'yes', media_address: '::1' },
  pcma: { allow: 'alaw' },
  g722: { allow: 'g722' },
  early: {},
  prack: { '100rel': 'required' },
  update: { trust_id_outbound: 'yes', send_pai: 'yes', connected_line_method: 'update', rpid_immediate: 'yes' },
  hold: { moh_passthrough: 'yes' },
  held: {},
  // An address of its own would take the place of the other's in the offer.
  left: { direct_media: 'yes', transport: 'udp', media_address: '' },
  right: { direct_media: 'yes', transport: 'udp', media_address: '' },
  timer: { timers: 'always', timers_sess_expires: '90', timers_min_se: '90' },
  out: { timers: 'always', timers_sess_expires: '90', timers_min_se: '90' },
  causes: {},
  cancel: {},
} as const satisfies Readonly<Record<string, Account>>
export type AccountName = keyof typeof accounts

export interface Places {
  readonly host: string
  readonly udp: number
  readonly tls: number
  readonly manager: number
  readonly http: number
}

export const accountPassword = 'secret'
export const ariKey = 'matrix:secret'

/** Modules that want hardware, servers or files that are not there. */
const left = `chan_iax2 chan_unistim chan_motif chan_console chan_websocket pbx_dundi pbx_ael pbx_lua res_snmp res_xmpp res_phoneprov
  res_pjsip_phoneprov_provider res_pjsip_transport_websocket res_pjsip_stir_shaken res_stir_shaken res_geolocation res_pjsip_geolocation
  res_prometheus res_smdi res_hep res_config_ldap res_config_odbc res_odbc cdr_csv cdr_custom cdr_adaptive_odbc cdr_odbc cdr_pgsql
  cdr_radius cdr_sqlite3_custom cdr_tds cel_custom cel_odbc cel_pgsql cel_radius cel_sqlite3_custom cel_tds app_voicemail_odbc
  app_voicemail app_minivm app_queue app_agent_pool app_jack res_calendar res_stun_monitor res_resolver_unbound`

function account(name: string, options: Account, host: string): string {
  const usual: Account = { allow: 'ulaw', direct_media: 'no', media_address: host, ...options }
  return [
    section(name, [
      'type=endpoint',
      'context=calls',
      'identify_by=auth_username,username',
      `auth=${name}`,
      `aors=${name}`,
      'from_user=15551230001',
      // Otherwise its RTP comes from another address than it names, and is not taken.
      'bind_rtp_to_media_address=yes',
      'disallow=all',
      ...Object.entries(usual).flatMap(([key, value]) => (value === '' ? [] : [`${key}=${value}`])),
    ]),
    section(name, ['type=auth', 'auth_type=userpass', `username=${name}`, `password=${accountPassword}`]),
    section(name, ['type=aor', 'max_contacts=1', 'remove_existing=yes']),
  ].join('\n')
}

const value = (name: string): string => '${' + name + '}'
/** What is heard is written down, and a tone of 1000 Hz is said for half a minute. */
const talk = [
  ` same => n,MixMonitor(/fax/in/mix-${value('TALK')}.wav,r(/fax/in/rx-${value('TALK')}.wav)t(/fax/in/tx-${value('TALK')}.wav))`,
  ' same => n,Playback(/fax/out/tone)',
  ' same => n,Playback(/fax/out/tone)',
  ' same => n,Playback(/fax/out/tone)',
  ' same => n,Playback(/fax/out/tone)',
  ' same => n,Hangup()',
]

const dialPlan = [
  section('calls', [
    `exten => _talkX!,1,Answer()`,
    ` same => n,Set(TALK=${value('EXTEN:4')})`,
    ...talk,
    `exten => _earlyX!,1,Progress()`,
    ` same => n,Set(TALK=${value('EXTEN:5')})`,
    ' same => n,Playback(/fax/out/short,noanswer)',
    ' same => n,Answer()',
    ...talk,
    `exten => _rprackX!,1,Ringing()`,
    ` same => n,Set(TALK=${value('EXTEN:6')})`,
    ' same => n,Wait(1)',
    ' same => n,Answer()',
    ...talk,
    `exten => _updateX!,1,Answer()`,
    ` same => n,Set(TALK=${value('EXTEN:6')})`,
    ' same => n,Wait(1)',
    ' same => n,Set(CONNECTEDLINE(name,i)=Somebody Else)',
    ' same => n,Set(CONNECTEDLINE(num)=15557770000)',
    ...talk,
    `exten => _bridgeX!,1,Dial(PJSIP/+15550002000@right,30)`,
    ` same => n,Hangup()`,
    `exten => _causeX!,1,Hangup(${value('EXTEN:5')})`,
    'exten => ring,1,Ringing()',
    ' same => n,Wait(0.2)',
    ' same => n,Answer()',
    ' same => n,Wait(10)',
    ' same => n,Hangup()',
  ]),
  section('bench', ['exten => _[+0-9]!,1,Answer()', ' same => n,Playback(/fax/out/load)', ' same => n,Hangup()']),
  section('ari', ['exten => _[+0-9]!,1,Stasis(bench)', ' same => n,Hangup()']),
].join('\n')

/** Load without registration, known by its address: one context for each program that answers it. */
export const load = (context: string, address: string): string =>
  [
    section(`load-${context}`, [
      'type=endpoint',
      `context=${context}`,
      'disallow=all',
      'allow=ulaw',
      'direct_media=no',
      'timers=no',
      `aors=load-${context}`,
    ]),
    section(`load-${context}`, ['type=aor', `contact=sip:${address}:9`]),
    section(`load-${context}`, ['type=identify', `endpoint=load-${context}`, `match=${address}`]),
  ].join('\n')

/** Whence sipp calls in the race: the address chooses who answers. */
export const loadFrom = { bench: '127.0.0.20', ari: '127.0.0.21' } as const

/** Files of /etc/asterisk by name; `verbose` logs every message. */
export function settings(places: Places, moduleFolder: string, media: readonly [number, number]): Record<string, string> {
  const { host, udp, tls } = places
  const transport = (name: string, lines: readonly string[]): string => section(name, ['type=transport', ...lines])
  return {
    'asterisk.conf': [
      directories(moduleFolder),
      section('options', ['verbose = 3', 'transmit_silence = yes', 'hideconnect = yes', 'maxfiles = 20000']),
    ].join('\n'),
    'modules.conf': section('modules', ['autoload=yes', ...left.split(/\s+/).map((name) => `noload = ${name}.so`)]),
    'logger.conf': section('logfiles', ['full => notice,warning,error,verbose(3)']),
    'rtp.conf': section('general', [`rtpstart=${media[0]}`, `rtpend=${media[1]}`]),
    'http.conf': section('general', [
      'enabled=yes',
      `bindaddr=${host}`,
      `bindport=${places.http}`,
      'sessionlimit=4000',
      'session_keep_alive=60000',
    ]),
    'ari.conf': [section('general', ['enabled=yes']), section('matrix', ['type=user', 'read_only=no', 'password=secret'])].join('\n'),
    'manager.conf': [
      section('general', ['enabled=yes', `bindaddr=${host}`, `port=${places.manager}`]),
      section('matrix', ['secret=secret', 'read=all', 'write=all']),
    ].join('\n'),
    'cdr.conf': section('general', ['enable=no']),
    'pjsip.conf': [
      section('global', ['type=global', 'endpoint_identifier_order=auth_username,username,ip', 'default_realm=clinic.test']),
      transport('udp', ['protocol=udp', `bind=${host}:${udp}`]),
      transport('tcp', ['protocol=tcp', `bind=${host}:${udp}`]),
      transport('six', ['protocol=udp', `bind=[::1]:${udp}`]),
      transport('tls', [
        'protocol=tls',
        `bind=${host}:${tls}`,
        'cert_file=/fax/keys/asterisk.pem',
        'priv_key_file=/fax/keys/asterisk.key',
        'ca_list_file=/fax/keys/ca.pem',
        'method=tlsv1_2',
      ]),
      ...Object.entries(accounts).map(([name, options]) => account(name, options, host)),
      ...Object.entries(loadFrom).map(([context, address]) => load(context, address)),
    ].join('\n'),
    'extensions.conf': dialPlan,
  }
}
