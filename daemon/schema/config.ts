/**
 * The configuration file: one schema for the loader's checks, for editors and for the type. `Config` is the shape after
 * loading: defaults filled in, secrets read, file names absolute, `rtpPorts` a pair, switched-off listeners null.
 */
import { Type, type Static } from '@sinclair/typebox'
import { AlarmsSchema, EventsSchema } from './config/alarms.ts'
import { FaxSchema, InboxSchema } from './config/fax.ts'
import { LineSchema } from './config/lines.ts'
import { MailSchema, mailNotify, mailOfMailbox } from './config/mail.ts'
import { MailboxSchema } from './config/mailboxes.ts'
import { HoursSchema } from './config/pbx-hours.ts'
import { MenuSchema } from './config/pbx-menus.ts'
import { NumbersSchema } from './config/numbers.ts'
import { EmergencySchema } from './config/pbx-emergency.ts'
import { ParkingSchema } from './config/pbx-parking.ts'
import { FeatureCodesSchema } from './config/pbx-codes.ts'
import { BackupSchema } from './config/backup.ts'
import { CrmSchema } from './config/crm.ts'
import { extensionLife } from './config/pbx-extensions.ts'
import { ProvisioningSchema } from './config/provisioning.ts'
import { SpeechSchema } from './config/speech.ts'
import { RecordingNoticeSchema } from './config/pbx-recording.ts'
import { RingGroupsSchema } from './config/pbx-groups.ts'
import { NotifySchema } from './config/notify.ts'
import { OutboundSchema } from './config/pbx-outbound.ts'
import { QueuesSchema } from './config/pbx-queues.ts'
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
          description: 'What people here dial before a number outside, such as 9; calls go out without it, too.',
        }),
      ),
    ),
    local: live(
      Type.Array(Type.String({ pattern: '^\\+[1-9]\\d{0,13}\\*?$' }), {
        default: [],
        description:
          'Beginnings of the numbers that the class of service local reaches, such as +1555*; in +1 the area code of site.number by default.',
      }),
    ),
    recordingNotice: RecordingNoticeSchema,
    music: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'WAV or Opus files that people hear who are on hold, one after the other, ten minutes in all; music of its own where there is none.',
    }),
    fallbackDestination: live(
      Type.Optional(Type.String({ minLength: 1, description: 'Where a caller goes whose call nobody took, before an apology is spoken.' })),
    ),
  },
  'Who and where the site is.',
)

const TlsFilesSchema = strict(
  {
    cert: Type.String({ minLength: 1, description: 'PEM file with the certificate chain.' }),
    key: Type.String({ minLength: 1, description: 'PEM file with the private key.' }),
  },
  'Certificate and key.',
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
      description: 'What the token opens.',
    }),
    expires: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2})?Z)?$',
        description: 'Last day of the token, or its last moment: 2026-12-31 or 2026-12-31T12:00Z (UTC).',
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
    secret: SigningSecret('Signs status callbacks that belong to no voice endpoint; without one they are not signed.', ''),
    nextSecret: Type.Optional(SigningSecret('The coming secret, during a rotation.')),
    allowLoopback: Type.Boolean({
      default: false,
      description:
        'Whether all that the box fetches or connects to may be programs on this machine: control and action URLs, files of play, streams, callbacks; never its own ports. Without it the programs of voice.endpoints are reached, by the URLs of their documents.',
    }),
    allowPlainHttp: Type.Boolean({ default: false, description: 'Whether http:// may go to public addresses, readable on the way.' }),
    deadDays: afterRestart(
      Type.Integer({ default: 30, minimum: 1, maximum: 3650, description: 'How long callbacks that were given up are kept.' }),
    ),
    allowedHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          'Where given, callbacks and control URLs go to these host names and addresses, and those of voice.endpoints, only; *.example.com covers all below.',
      }),
    ),
  },
  'Callbacks to applications.',
)

const SipSchema = strict(
  {
    udp: Listen(
      'Where SIP over UDP listens; off for nowhere. [::]:5060 is every address of IPv6 and IPv4. Where tcp listens, if only that is given.',
      '127.0.0.1:5060',
    ),
    tcp: Listen('Where SIP over TCP listens; off for nowhere. Where udp listens, if only that is given.', '127.0.0.1:5060'),
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
      Type.Array(Type.String({ minLength: 1 }), { description: 'DNS servers for the names of trunks; the system’s own by default.' }),
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
          description: 'Networks (10.0.0.0/8) whose phones may call without having registered first; none by default.',
        }),
      ),
    ),
    edges: live(
      Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        description:
          'Proxies of this house in front of the box (192.0.2.8/29), such as Kamailio. Phones and providers behind them are known by the address that the proxy writes into the Via below its own. A trunk behind one has the provider as server and the proxy as outboundProxy.',
      }),
    ),
    calls: Type.Optional(
      Type.Integer({
        minimum: 50,
        maximum: 1000,
        examples: [400],
        description:
          'Calls of one party that may stand at once: a talk between two takes two. Further ones are refused with 503; four more are kept for calls for help. 400, or as many as rtpPorts has room for.',
      }),
    ),
    ban: strict(
      {
        failures: Type.Integer({ default: 5, minimum: 1, maximum: 1000, description: 'Wrong passwords of one address.' }),
        windowSeconds: Type.Integer({ default: 30, minimum: 1, maximum: 3600, description: 'In which they are counted.' }),
        seconds: Type.Integer({ default: 3600, minimum: 1, maximum: 86400, description: 'How long the address is ignored.' }),
      },
      'After so many wrong passwords in this time an address is ignored for so long.',
    ),
    mediaTimeoutSeconds: live(
      Type.Integer({
        default: 60,
        minimum: 5,
        maximum: 3600,
        description: 'A call without any audio packet for so long is ended.',
      }),
    ),
  },
  'SIP listeners and media.',
)

const ExtensionSchema = strict(
  {
    number: Type.String({ pattern: '^\\d{2,6}$', description: '2 to 6 digits.' }),
    name: Type.String({ default: '', maxLength: 100, description: 'Whose phone it is: the name that others see.' }),
    ...extensionLife,
    password: Secret('What the phone registers with.'),
    srtp: Choice(['auto', 'off', 'optional', 'required'], {
      default: 'auto',
      description: 'auto: encrypted with a phone that is connected by TLS.',
    }),
    srtpInClear: Type.Boolean({
      default: false,
      description: 'srtp optional or required is meant although there is no sip.tls, so that its keys can be read on the network.',
    }),
  },
  'A desk phone.',
)

const InboundSchema = strict(
  {
    trunk: Type.Optional(Type.String({ minLength: 1, description: 'Trunk the call came through; * or nothing for any.' })),
    extension: Type.Optional(
      Type.String({ minLength: 1, description: 'Makes this a rule for calls dialled by a desk phone: its number, or * for any.' }),
    ),
    to: Type.String({ default: '*', minLength: 1, description: 'Dialled number; * for any, a * at the end for a beginning.' }),
    destination: Type.String({
      minLength: 1,
      description:
        'endpoint:ID (an application), the number of an extension, group:ID, menu:ID, hours:ID, voicemail:EXT, external:+NUMBER, fax, or hangup.',
    }),
    fax: Choice(['auto', 'off'], {
      default: 'auto',
      description: 'auto: a fax machine that calls an application through a trunk is recognised by its tone, and its fax is received.',
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
    { dir: Type.String({ default: 'var', minLength: 1, description: 'Everything the program writes lies below.' }) },
    'Storage.',
  ),
  http: strict(
    {
      listen: Type.String({ default: '127.0.0.1:8080', description: 'Address and port of the web port.' }),
      tls: Type.Optional(TlsFilesSchema),
      names: Type.Array(Type.String({ pattern: '^[A-Za-z0-9.-]{1,253}$' }), {
        default: [],
        description:
          'Names by which this box is reached, such as pbx.clinic.example, besides its host name and provisioning.server. What needs no token is answered under these and under addresses alone.',
      }),
      trustedProxies: Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        description:
          'Addresses and networks (192.0.2.8/29) of proxies that say in X-Forwarded-For (else Forwarded) whose request they pass on, and in X-Forwarded-Proto how it came to them; of anybody else these headers are not looked at.',
      }),
    },
    'The web port.',
  ),
  control: strict(
    {
      socket: Type.String({
        default: 'var/run/pbxd.sock',
        minLength: 1,
        description:
          'The file of the socket; its folder says who may use `pbx`. By default below storage.dir, or /run/pbxd for an installed box.',
      }),
    },
    'The socket of the pbx command.',
  ),
  audit: strict(
    { years: Type.Integer({ default: 6, minimum: 1, maximum: 100, description: 'How long it is kept; HIPAA wants 6 years.' }) },
    'The audit trail.',
  ),
  backup: BackupSchema,
  events: EventsSchema,
  alarms: AlarmsSchema({ ...mailNotify.alarm, ...textNotify.alarm }),
  auth: live(
    strict(
      { tokens: Type.Array(TokenSchema, { default: [], description: 'Tokens by their SHA-256.' }) },
      'Access tokens, besides those made by `pbx token create`.',
    ),
  ),
  callbacks: live(CallbacksSchema),
  sip: SipSchema,
  trunks: live(Type.Array(TrunkSchema, { default: [], description: 'Lines of providers, over SIP.' })),
  extensions: live(Type.Array(ExtensionSchema, { default: [], description: 'Desk phones.' })),
  voice: VoiceSchema,
  inbound: live(Type.Array(InboundSchema, { default: [], description: 'Where calls go; the first rule that fits decides.' })),
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
  hours: live(Type.Array(HoursSchema, { default: [], description: 'Opening times, and where calls go in them.' })),
  menus: live(Type.Array(MenuSchema, { default: [], description: 'Menus: callers choose by key where they go.' })),
  crm: CrmSchema,
  mailboxes: live(Type.Array(MailboxSchema(mailOfMailbox), { default: [], description: 'Voicemail.' })),
  ringGroups: live(RingGroupsSchema),
  outbound: live(OutboundSchema),
  emergency: live(EmergencySchema({ ...mailNotify.emergency, ...textNotify.emergency })),
  featureCodes: live(FeatureCodesSchema),
  parking: live(ParkingSchema),
  lamps: live(
    Choice(['states', 'numbers'], {
      default: 'states',
      description:
        'What the lamp of an extension shows of its calls to phones outside its pickup group: that it rings or talks (states), or with whom as well (numbers).',
    }),
  ),
  queues: live(QueuesSchema),
  provisioning: live(ProvisioningSchema),
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
