/**
 * The configuration file: one schema for the loader's checks, for editors and for the type. `Config` is the shape after
 * loading: defaults filled in, secrets read, file names absolute, `rtpPorts` a pair, switched-off listeners null.
 */
import { Type, type Static } from '@sinclair/typebox'
import { AlarmsSchema, EventsSchema } from './config/alarms.ts'
import { FaxSchema, InboxSchema } from './config/fax.ts'
import { LineSchema, NumbersSchema } from './config/lines.ts'
import { ConsoleSchema } from './config/console.ts'
import { MailSchema, mailNotify, mailOfMailbox } from './config/mail.ts'
import { MailboxSchema } from './config/mailboxes.ts'
import { HttpSchema, TlsFilesSchema, ProvisioningSchema } from './config/http.ts'
import { BoxSchema } from './config/box.ts'
import { CollectSchema } from './config/collect.ts'
import { HoursSchema } from './config/pbx-hours.ts'
import { MenuSchema } from './config/pbx-menus.ts'
import { EmergencySchema } from './config/pbx-emergency.ts'
import { ParkingSchema } from './config/pbx-parking.ts'
import { FeatureCodesSchema } from './config/pbx-codes.ts'
import { BackupSchema } from './config/backup.ts'
import { CrmSchema } from './config/crm.ts'
import { extensionLife } from './config/pbx-extensions.ts'
import { SpeechSchema } from './config/speech.ts'
import { RecordingNoticeSchema } from './config/pbx-recording.ts'
import { RingGroupsSchema } from './config/pbx-groups.ts'
import { NotifySchema } from './config/notify.ts'
import { OutboundSchema } from './config/pbx-outbound.ts'
import { QueuesSchema } from './config/pbx-queues.ts'
import { SitesSchema } from './config/sites.ts'
import { RemindersSchema } from './config/reminders.ts'
import { SmsSchema, textNotify } from './config/sms.ts'
import { TrunkSchema } from './config/trunks.ts'
import { LimitsSchema, VoiceSchema } from './config/voice.ts'
import {
  afterRestart,
  Choice,
  effectMark,
  Id,
  Listen,
  live,
  NumberText,
  Secret,
  SigningSecret,
  strict,
  type Effect,
} from './config/forms.ts'

export type { SmsTrunkConfig, SmsTrunkConfigOf } from './config/sms.ts'
export type { VoiceEndpointConfig } from './config/voice.ts'

const SiteSchema = strict(
  {
    name: Type.String({ default: 'pbxd', maxLength: 100, description: 'Name of the site, as people know it.' }),
    country: Type.String({
      default: 'US',
      pattern: '^[A-Z]{2}$',
      description: 'ISO 3166 code of two letters, such as US or GB: how numbers without + are read.',
    }),
    timeZone: Type.String({ default: 'UTC', description: 'IANA name, such as America/New_York.' }),
    language: Type.String({
      default: 'en-US',
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
      description:
        'Language in which the box speaks and writes to callers, patients and people of the clinic, BCP 47: English, German, Spanish or French, ' +
        'else English. Fax cover pages have 20 languages.',
    }),
    number: Type.Optional(NumberText('Main number of the site.')),
    outsidePrefix: live(
      Type.Optional(
        Type.String({
          pattern: '^\\d{1,2}$',
          description: 'Prefix that people dial before an outside number, such as 9. Calls go out without it, too.',
        }),
      ),
    ),
    local: live(
      Type.Array(Type.String({ pattern: '^\\+[1-9]\\d{0,13}\\*?$' }), {
        default: [],
        description:
          'Number patterns that the class of service local reaches, such as +1555*. Default in +1: the area code of site.number.',
      }),
    ),
    recordingNotice: RecordingNoticeSchema,
    music: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'WAV or Opus files for callers on hold, played one after the other, ten minutes in all. Default: the box plays its own music.',
    }),
    fallbackDestination: live(
      Type.Optional(Type.String({ minLength: 1, description: 'Where an unanswered caller goes before the apology.' })),
    ),
  },
  'The site.',
)

const TokenSchema = strict(
  {
    name: Id('Name of the token, for logs and for the list.'),
    sha256: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'SHA-256 of the token, hexadecimal. Make the token with: openssl rand -hex 32.',
    }),
    scopes: Type.Array(Choice(['send', 'inbox', 'voice', 'crm', 'admin']), {
      default: ['send', 'inbox', 'voice', 'crm', 'admin'],
      uniqueItems: true,
      description: 'What the token allows.',
    }),
    expires: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2})?Z)?$',
        description: 'Last day or last moment of the token: 2026-12-31 or 2026-12-31T12:00Z (UTC).',
      }),
    ),
    endpoints: Type.Optional(
      Type.Array(Id('Of a voice endpoint.'), {
        description: 'Restricts the token to the calls of these voice endpoints; without mailboxes it reaches no voicemail.',
      }),
    ),
    mailboxes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        description: 'Restricts the token to the voicemail of these mailboxes; without endpoints it reaches no calls.',
      }),
    ),
  },
  'An access token.',
)

const CallbacksSchema = strict(
  {
    secret: SigningSecret('Signs callbacks that belong to no voice endpoint; without a secret they are not signed.', ''),
    nextSecret: Type.Optional(SigningSecret('The coming secret, during a rotation.')),
    allowLoopback: Type.Boolean({
      default: false,
      description:
        'Whether the box may reach every program on this machine: control and action URLs, files of play, streams, callbacks; never its own ports. Without it only the programs of voice.endpoints are reached, by URLs of documents.',
    }),
    allowPlainHttp: Type.Boolean({ default: false, description: 'Whether http:// may go to public addresses, in the clear.' }),
    deadDays: afterRestart(Type.Integer({ default: 30, minimum: 1, maximum: 3650, description: 'How long dead letters are kept.' })),
    allowedHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          'If set, callbacks and control URLs go only to these host names and addresses and to those of voice.endpoints. *.example.com covers all subdomains.',
      }),
    ),
  },
  'Callbacks to applications.',
)

const SipSchema = strict(
  {
    udp: Listen(
      'Address and port of SIP over UDP; off: none. [::]:5060 is every address of IPv6 and IPv4. Default: as tcp, if only tcp is set.',
      '127.0.0.1:5060',
    ),
    tcp: Listen('Address and port of SIP over TCP; off: none. Default: as udp, if only udp is set.', '127.0.0.1:5060'),
    tls: Type.Optional(
      strict(
        {
          listen: Type.String({ default: '127.0.0.1:5061', description: 'Address and port.' }),
          ...TlsFilesSchema.properties,
        },
        'SIP over TLS.',
      ),
    ),
    rtpPorts: Type.Unsafe<[number, number]>({
      type: 'string',
      pattern: '^\\d{1,5}-\\d{1,5}$',
      default: '10000-19999',
      description: 'Range of UDP ports for audio.',
    }),
    nameservers: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'DNS servers for the names of trunks. Default: those of the system.' }),
    ),
    publicAddress: live(
      Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'The fixed public IP address of this site, whose router forwards the SIP and RTP ports to the box. Peers outside localNetworks get it in Contact and SDP. Without it the contact comes from the registrar’s answer (rport).',
        }),
      ),
    ),
    localNetworks: live(
      Type.Array(Type.String({ minLength: 1 }), {
        default: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8', 'fc00::/7', 'fe80::/10', '::1/128'],
        description:
          'Networks that are reached without address translation; they get this machine’s own address. Default: private networks.',
      }),
    ),
    phoneNetworks: live(
      Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          description: 'Networks (10.0.0.0/8) whose phones may call without registering. Default: none.',
        }),
      ),
    ),
    edges: live(
      Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        description:
          'Proxies of this house in front of the box (192.0.2.8/29), such as Kamailio. The box identifies phones and providers behind them by the address that the proxy writes into the Via below its own. A trunk behind a proxy has the provider as server and the proxy as outboundProxy.',
      }),
    ),
    calls: Type.Optional(
      Type.Integer({
        minimum: 50,
        maximum: 1000,
        examples: [400],
        description:
          'Call legs at once; a conversation of two takes two. Further ones are refused with 503; four more are reserved for calls for help. Default: 400, or as many as rtpPorts has room for.',
      }),
    ),
    ban: strict(
      {
        failures: Type.Integer({
          default: 5,
          minimum: 1,
          maximum: 1000,
          description: 'Wrong passwords from one address until it is banned.',
        }),
        windowSeconds: Type.Integer({ default: 30, minimum: 1, maximum: 3600, description: 'The time in which they are counted.' }),
        seconds: Type.Integer({ default: 3600, minimum: 1, maximum: 86400, description: 'How long the address is ignored.' }),
      },
      'After so many wrong passwords in this time an address is ignored for so long.',
    ),
    mediaTimeoutSeconds: live(
      Type.Integer({
        default: 60,
        minimum: 5,
        maximum: 3600,
        description: 'A call without an audio packet for this time is ended.',
      }),
    ),
  },
  'SIP listeners and media.',
)

const ExtensionSchema = strict(
  {
    number: Type.String({ pattern: '^\\d{2,6}$', description: '2 to 6 digits.' }),
    name: Type.String({ default: '', maxLength: 100, description: 'Name that others see.' }),
    ...extensionLife,
    password: Secret('Password with which the phone registers.'),
    srtp: Choice(['auto', 'off', 'optional', 'required'], {
      default: 'auto',
      description: 'auto: encrypted if the phone uses TLS.',
    }),
    srtpInClear: Type.Boolean({
      default: false,
      description: 'Allows srtp without sip.tls, although its keys can be read on the network.',
    }),
  },
  'A desk phone.',
)

const InboundSchema = strict(
  {
    trunk: Type.Optional(Type.String({ minLength: 1, description: 'Trunk of the call; * or nothing: any.' })),
    extension: Type.Optional(
      Type.String({ minLength: 1, description: 'Makes this a rule for calls from a desk phone: its number, or * for any.' }),
    ),
    to: Type.String({ default: '*', minLength: 1, description: 'Dialled number; * for any, a * at the end for a beginning.' }),
    destination: Type.String({
      minLength: 1,
      description:
        'endpoint:ID (an application), the number of an extension, group:ID, menu:ID, hours:ID, voicemail:EXT, external:+NUMBER, fax, or hangup.',
    }),
    fax: Choice(['auto', 'off'], {
      default: 'auto',
      description: 'auto: the box recognises a fax machine that calls an application through a trunk by its tone, and receives the fax.',
    }),
    notify: NotifySchema(
      'each fax',
      'Who is notified of a fax that came in by this rule: from whom, when, how many pages; in place of fax.notify.',
      'the fax (PDF)',
    ),
  },
  'Where a call goes; the first rule that fits decides.',
)

const sections = {
  site: SiteSchema,
  storage: strict(
    { dir: Type.String({ default: 'var', minLength: 1, description: 'The folder of everything that the program writes.' }) },
    'Storage.',
  ),
  box: BoxSchema,
  collect: CollectSchema,
  http: HttpSchema,
  control: strict(
    {
      socket: Type.String({
        default: 'var/run/pbxd.sock',
        minLength: 1,
        description:
          'The file of the socket. The permissions of its folder decide who may use `pbx`. Default: below storage.dir, on an installed box /run/pbxd.',
      }),
    },
    'The socket of the pbx command.',
  ),
  audit: strict(
    { years: Type.Integer({ default: 6, minimum: 1, maximum: 100, description: 'How long the trail is kept; HIPAA requires 6 years.' }) },
    'The audit trail.',
  ),
  backup: BackupSchema,
  events: EventsSchema,
  alarms: AlarmsSchema({ ...mailNotify.alarm, ...textNotify.alarm }),
  auth: live(
    strict(
      { tokens: Type.Array(TokenSchema, { default: [], description: 'Tokens by their SHA-256.' }) },
      'Access tokens, in addition to those from `pbx token create`.',
    ),
  ),
  callbacks: live(CallbacksSchema),
  sip: SipSchema,
  trunks: live(Type.Array(TrunkSchema, { default: [], description: 'Accounts at providers, over SIP.' })),
  extensions: live(Type.Array(ExtensionSchema, { default: [], description: 'Desk phones.' })),
  voice: VoiceSchema,
  inbound: live(Type.Array(InboundSchema, { default: [], description: 'Where calls go. The first matching rule decides.' })),
  numbers: live(NumbersSchema),
  limits: live(LimitsSchema),
  log: strict(
    {
      level: Choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], {
        default: 'info',
        description: 'What is logged: this and everything worse.',
      }),
    },
    'The log.',
  ),
  speech: SpeechSchema,
  fax: FaxSchema,
  inbox: InboxSchema,
  lines: Type.Array(LineSchema, { default: [], description: 'Analog lines on serial modems.' }),
  sms: SmsSchema,
  mail: Type.Optional(MailSchema),
  reminders: RemindersSchema,
  hours: live(Type.Array(HoursSchema, { default: [], description: 'Opening times, and their destinations.' })),
  menus: live(Type.Array(MenuSchema, { default: [], description: 'Menus: callers choose by key where they go.' })),
  crm: CrmSchema,
  mailboxes: live(Type.Array(MailboxSchema(mailOfMailbox), { default: [], description: 'Voicemail.' })),
  ringGroups: live(RingGroupsSchema),
  outbound: live(OutboundSchema),
  sites: live(SitesSchema),
  emergency: live(EmergencySchema({ ...mailNotify.emergency, ...textNotify.emergency })),
  featureCodes: live(FeatureCodesSchema),
  parking: live(ParkingSchema),
  lamps: live(
    Choice(['states', 'numbers'], {
      default: 'states',
      description:
        'What the lamp of an extension shows to phones outside its pickup group: whether it rings or talks (states), or also with whom (numbers).',
    }),
  ),
  queues: live(QueuesSchema),
  provisioning: live(ProvisioningSchema),
  console: ConsoleSchema,
}

export const ConfigSchema = Type.Object(sections, {
  $id: 'pbxd.schema.json',
  additionalProperties: false,
  title: 'Configuration of pbxd',
  description: 'The configuration file of pbxd.',
  [effectMark]: 'restart' satisfies Effect,
})

export type Config = Static<typeof ConfigSchema>
export type TrunkConfig = Static<typeof TrunkSchema>
export type ExtensionConfig = Static<typeof ExtensionSchema>
export type MailboxConfig = Config['mailboxes'][number]
export type InboundRule = Static<typeof InboundSchema>
export type TokenConfig = Static<typeof TokenSchema>

/** Numbers of the mailboxes: each extension has one. */
export function mailboxNumbers({ mailboxes, extensions }: Pick<Config, 'mailboxes' | 'extensions'>): string[] {
  return [...new Set([...mailboxes.map(({ ext }) => ext), ...extensions.map(({ number }) => number)])]
}
