/** `trunks`: the SIP accounts and lines of providers. */
import { Type } from '@sinclair/typebox'
import { Choice, Id, NumberText, Secret, strict } from './forms.ts'
import { RecordPolicySchema } from './pbx-recording.ts'

export const TrunkSchema = strict(
  {
    id: Id('Name of the trunk in rules and events.'),
    kind: Choice(['sip'], { default: 'sip', description: 'Protocol of the trunk.' }),
    server: Type.String({ minLength: 1, description: 'host or host:port of the provider.' }),
    transport: Choice(['udp', 'tcp', 'tls'], { default: 'udp', description: 'Transport to the provider; use tls if it has it.' }),
    username: Type.String({ default: '', description: 'Name of the account.' }),
    authUsername: Type.Optional(Type.String({ description: 'User name for authentication, if the provider wants another one.' })),
    password: Secret('Password of the account; none if the provider knows your address.', ''),
    register: Type.Boolean({ default: true, description: 'Whether the trunk registers with the provider.' }),
    registerSeconds: Type.Optional(
      Type.Integer({ minimum: 30, maximum: 86400, description: 'How often it registers. Default: as the provider says.' }),
    ),
    outboundProxy: Type.Optional(Type.String({ minLength: 1, description: 'host or host:port of the proxy for requests.' })),
    numbers: Type.Array(NumberText('A number of this trunk.'), {
      default: [],
      description: 'Numbers of the trunk. The first is the caller number of outbound calls.',
    }),
    channels: Type.Integer({ default: 30, minimum: 1, maximum: 1000, description: 'Calls at once.' }),
    record: RecordPolicySchema('Which conversations through this trunk are recorded: inbound calls, outbound calls, all, or none.'),
    default: Type.Boolean({ default: false, description: 'Whether outbound calls take this trunk by default.' }),
    srtp: Choice(['off', 'optional', 'required'], {
      default: 'off',
      description: 'Whether audio is encrypted. Needs transport tls, because the keys are in the signalling.',
    }),
    srtpInClear: Type.Boolean({
      default: false,
      description: 'Allows srtp over udp or tcp, where the keys can be read.',
    }),
    transfers: Type.Boolean({
      default: false,
      description: 'Whether the provider may transfer a call to another phone of this house (REFER).',
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
      description: 'Codecs that are offered, the preferred one first.',
    }),
    calledNumber: Choice(['auto', 'request-uri', 'to', 'p-called-party-id'], {
      default: 'auto',
      description:
        'Where the provider’s calls have the dialled number. auto: in the request URI, unless that is this trunk’s own contact; then in To or P-Called-Party-ID, whichever has one of numbers.',
    }),
    from: Choice(['number', 'account'], {
      default: 'number',
      description: 'The From of calls through the trunk: the caller’s number, or the account if the provider requires it.',
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
      description: 'Whether tones in the audio count as keys. auto: only if the provider does not send keys as telephone-event.',
    }),
    keepAliveSeconds: Type.Integer({
      default: 5,
      minimum: 0,
      maximum: 3600,
      description:
        'After this time without a request from the trunk the box sends OPTIONS, and waits 4 s for the answer. A trunk that is down is asked at least every 5 s. 0: never.',
    }),
    fromDomain: Type.Optional(Type.String({ minLength: 1, description: 'Domain in From, if the provider wants another than its server.' })),
    caFile: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'For transport tls: PEM file with the accepted authorities, or with the server’s own certificate. Default: authorities of the system.',
      }),
    ),
    tlsVerify: Type.Boolean({
      default: true,
      description: 'For transport tls: whether the server’s certificate and name are checked. false causes a permanent warning.',
    }),
    realm: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'The only realm to which the box proves the password. Default: any.' }),
    ),
    authenticateInbound: Type.Boolean({
      default: false,
      description: 'Whether the provider must prove the account’s password for each call and text it sends here (digest).',
    }),
  },
  'A SIP trunk.',
)
