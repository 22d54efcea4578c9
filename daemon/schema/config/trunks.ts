/** `trunks`: the SIP accounts and lines of providers. */
import { Type } from '@sinclair/typebox'
import { Choice, Id, NumberText, Secret, strict } from './forms.ts'
import { RecordPolicySchema } from './pbx-recording.ts'

export const TrunkSchema = strict(
  {
    id: Id('Name of the trunk in rules and events.'),
    kind: Choice(['sip'], { default: 'sip', description: 'What the trunk speaks.' }),
    server: Type.String({ minLength: 1, description: 'host or host:port of the provider.' }),
    transport: Choice(['udp', 'tcp', 'tls'], { default: 'udp', description: 'How the provider is reached; tls where it has it.' }),
    username: Type.String({ default: '', description: 'Name of the account.' }),
    authUsername: Type.Optional(Type.String({ description: 'Where the provider wants another name for the password.' })),
    password: Secret('Password of the account; none for a trunk known by its address.', ''),
    register: Type.Boolean({ default: true, description: 'Whether the trunk registers with the provider.' }),
    registerSeconds: Type.Optional(
      Type.Integer({ minimum: 30, maximum: 86400, description: 'How often it registers; by default as the provider says.' }),
    ),
    outboundProxy: Type.Optional(Type.String({ minLength: 1, description: 'host or host:port that requests go through.' })),
    numbers: Type.Array(NumberText('A number of this trunk.'), {
      default: [],
      description: 'Numbers of the trunk; the first is the caller number of outbound calls.',
    }),
    channels: Type.Integer({ default: 30, minimum: 1, maximum: 1000, description: 'Calls at once.' }),
    record: RecordPolicySchema('Which talks through this trunk are recorded: of calls that come in, that go out, of all, or none.'),
    default: Type.Boolean({ default: false, description: 'Whether outbound calls take this trunk by default.' }),
    srtp: Choice(['off', 'optional', 'required'], {
      default: 'off',
      description: 'Whether audio is encrypted. Its keys travel in the signalling: it needs transport tls.',
    }),
    srtpInClear: Type.Boolean({
      default: false,
      description: 'srtp is meant although its keys can be read on the way: transport udp or tcp.',
    }),
    transfers: Type.Boolean({
      default: false,
      description: 'Whether the provider’s switch may send a call on to another phone of this house (REFER).',
    }),
    t38: Type.Boolean({ default: true, description: 'Whether faxes may use T.38.' }),
    allow: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Further addresses or networks from which the provider calls.',
    }),
    codecs: Type.Array(Choice(['PCMU', 'PCMA', 'G722']), {
      default: ['PCMU', 'PCMA', 'G722'],
      minItems: 1,
      uniqueItems: true,
      description: 'Forms of audio that are offered, the first one most of all.',
    }),
    calledNumber: Choice(['auto', 'request-uri', 'to', 'p-called-party-id'], {
      default: 'auto',
      description:
        'Where the provider’s calls bear the dialled number. auto: in the request URI unless that is this trunk’s own contact, then in To or P-Called-Party-ID, whichever holds one of numbers.',
    }),
    from: Choice(['number', 'account'], {
      default: 'number',
      description: 'What calls through the trunk have as From: the caller’s number, or the account where the provider insists.',
    }),
    identityHeader: Choice(['none', 'asserted', 'preferred'], {
      default: 'none',
      description: 'P-Asserted-Identity or P-Preferred-Identity with the caller’s number.',
    }),
    diversionHeader: Type.Boolean({
      default: true,
      description: 'Whether a forwarded call names the number it was forwarded from (Diversion).',
    }),
    inbandDigits: Choice(['auto', 'always', 'never'], {
      default: 'auto',
      description: 'Whether tones in the audio count as keys. auto: where the provider has not agreed to send keys as telephone-event.',
    }),
    keepAliveSeconds: Type.Integer({
      default: 5,
      minimum: 0,
      maximum: 3600,
      description:
        'After so long without a request from the trunk it is asked whether it is there (OPTIONS), and has 4 s to answer; a trunk that is not there is asked every 5 s at least. 0 for never.',
    }),
    fromDomain: Type.Optional(
      Type.String({ minLength: 1, description: 'Domain in From, where the provider wants another than its server.' }),
    ),
    caFile: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'For transport tls: PEM file with the authorities whose certificates the server may show, or with its own certificate; those of the system by default.',
      }),
    ),
    tlsVerify: Type.Boolean({
      default: true,
      description: 'For transport tls: whether the server’s certificate and name are checked. false leaves a warning standing.',
    }),
    realm: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'The only realm to which the password is proven; any by default.' }),
    ),
    authenticateInbound: Type.Boolean({
      default: false,
      description: 'Whether the provider must prove the account’s password for each call and text it sends here (digest).',
    }),
  },
  'A SIP trunk.',
)
