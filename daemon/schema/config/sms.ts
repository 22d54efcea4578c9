/** The section `sms` of the configuration: trunks that carry text messages. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice, Id, live, NumberText, Secret, SigningSecret, strict } from './forms.ts'
import { NotifySchema } from './notify.ts'
import { SmsTemplateSchema } from './sms-template.ts'

const common = {
  id: Id('Name of the trunk in answers and events.'),
  number: Type.Optional(NumberText('Number of the trunk: sender of its texts.')),
  default: Type.Boolean({ default: false, description: 'Whether texts take this trunk; otherwise the first.' }),
  notify: NotifySchema(
    'each text',
    'Who is notified of a text that came: from whom, when, for which number; in place of sms.notify.',
    'the first picture',
  ),
  textInMail: Type.Boolean({
    default: false,
    description: 'Whether a notice contains the words of the text; a notice by text never does.',
  }),
}

const Kind = <const K extends string>(kind: K, description: string) => Type.Literal(kind, { description })

const ModemSchema = strict(
  {
    ...common,
    kind: Kind('modem', 'A GSM modem.'),
    device: Type.String({ pattern: '^/', description: 'The serial device, such as /dev/pbx-gsm0.' }),
    baudRate: Type.Integer({ default: 115_200, minimum: 1200, maximum: 921_600, description: 'Speed of the serial line.' }),
    pin: Type.Optional(Secret('PIN of the SIM card.')),
    serviceCentre: Type.Optional(NumberText('Number of the service centre; by default that on the SIM card.')),
    reports: Type.Boolean({ default: true, description: 'Whether the network is asked for status reports.' }),
  },
  'A GSM modem on a serial line.',
)

const SmppSchema = strict(
  {
    ...common,
    kind: Kind('smpp', 'An SMPP 3.4 service.'),
    server: Type.String({ minLength: 1, description: 'host:port of the service.' }),
    tls: Type.Boolean({ default: false, description: 'Whether the connection is encrypted.' }),
    systemId: Type.String({ minLength: 1, maxLength: 15, description: 'Name of the account.' }),
    password: Secret('Password of the account.', ''),
    systemType: Type.String({ default: '', maxLength: 12, description: 'Where the service wants one.' }),
    window: Type.Integer({ default: 10, minimum: 1, maximum: 100, description: 'Requests that may be unanswered at once.' }),
    enquireSeconds: Type.Integer({ default: 30, minimum: 5, maximum: 600, description: 'How often the link is tested.' }),
    receipts: Type.Boolean({ default: true, description: 'Whether delivery receipts are asked for.' }),
    alphabet: Choice(['gsm', 'latin1', 'ascii', 'utf8'], {
      default: 'gsm',
      description: "What data coding 0 is at the service, both ways: GSM 03.38, or the service's own.",
    }),
    receiptIds: Choice(['auto', 'same', 'decimal', 'hexadecimal'], {
      default: 'auto',
      description: 'How receipts write the ids of texts, where that differs from the answers.',
    }),
  },
  'An account at an SMPP 3.4 service.',
)

const SipSchema = strict(
  {
    ...common,
    kind: Kind('sip', 'A SIP trunk.'),
    trunk: Type.String({ minLength: 1, description: 'The SIP trunk whose provider takes MESSAGE requests.' }),
  },
  'A SIP trunk that carries texts (RFC 3428).',
)

const HttpSchema = strict(
  {
    ...common,
    kind: Kind('http', 'A provider with an HTTP interface.'),
    provider: Choice(['twilio', 'telnyx', 'generic'], {
      default: 'generic',
      description: 'Whose interface it is; generic: as template says.',
    }),
    url: Type.Optional(
      Type.String({ pattern: '^https?://', description: "Address of the provider's interface; by default the provider's own." }),
    ),
    account: Type.String({ default: '', description: 'Account or profile at the provider.' }),
    secret: Secret('Token or key of the account.', ''),
    webhook: strict(
      {
        secret: Type.Optional(SigningSecret('What the provider signs its requests with; Telnyx: its public key.')),
        publicUrl: Type.Optional(
          Type.String({ pattern: '^https?://', description: "The webhook's address as the provider calls it: Twilio signs it." }),
        ),
      },
      'Texts and receipts that the provider sends to /api/sms/webhook/ID.',
    ),
    pollSeconds: Type.Integer({
      default: 15,
      minimum: 0,
      maximum: 3600,
      description: 'How often the provider is asked for texts; 0 for never.',
    }),
    template: Type.Optional(SmsTemplateSchema),
  },
  'A provider with an HTTP interface.',
)

const SimSchema = strict(
  {
    ...common,
    kind: Kind('sim', 'A simulated modem.'),
  },
  'A simulated GSM modem: for trying out without hardware.',
)

const kinds = { modem: ModemSchema, smpp: SmppSchema, sip: SipSchema, http: HttpSchema, sim: SimSchema }
type Kinds = { [K in keyof typeof kinds]: Static<(typeof kinds)[K]> }

/** The kind decides which schema holds: one clear fault instead of five, and defaults, which a validator leaves out in a choice of schemas. */
export const SmsTrunkSchema = Type.Unsafe<Kinds[keyof Kinds]>({
  type: 'object',
  required: ['id', 'kind'],
  properties: { kind: { type: 'string', enum: Object.keys(kinds) } },
  allOf: Object.entries(kinds).map(([kind, schema]) => ({
    if: { properties: { kind: { const: kind } }, required: ['kind'] },
    then: schema,
  })),
})

export const SmsSchema = strict(
  {
    trunks: Type.Array(SmsTrunkSchema, { default: [], description: 'Trunks for texts.' }),
    notify: live(
      NotifySchema('each text', 'Who is notified of a text that came, where no notify of its trunk says otherwise.', 'the first picture'),
    ),
    smartEncoding: Type.Boolean({
      default: false,
      description: 'Whether typographic quotes, dashes and the like become plain ones where that makes the text GSM-7.',
    }),
    validityHours: Type.Number({ default: 24, minimum: 0.1, maximum: 72, description: 'How long the box tries to send a text.' }),
    repeatUnknown: Type.Boolean({
      default: false,
      description: 'Whether a text whose answer was lost is sent again: it may then come twice.',
    }),
    optOutWords: Type.Array(Type.String({ pattern: "^\\p{L}[\\p{L}\\p{M} '’-]{1,39}$" }), {
      default: ['STOP', 'STOPALL', 'QUIT', 'END', 'REVOKE', 'OPTOUT', 'CANCEL', 'UNSUBSCRIBE'],
      minItems: 1,
      maxItems: 50,
      description:
        'A sender who answers with one of these alone, or as the first sentence, gets no more texts until START. Case, spaces and hyphens do not matter, ' +
        "and an entry may have several words. Those of the site's languages count as well.",
    }),
    queue: Type.Integer({ default: 5000, minimum: 1, maximum: 100_000, description: 'Texts that may wait.' }),
    keepDays: Type.Integer({ default: 90, minimum: 1, maximum: 3650, description: 'How long sent texts are kept.' }),
  },
  'Text messages.',
)

export type SmsTrunkConfig = Static<typeof SmsTrunkSchema>
export type SmsTrunkConfigOf<K extends SmsTrunkConfig['kind']> = Extract<SmsTrunkConfig, { kind: K }>

/** How sections with notices name the people who get a text. */
export const textNotify = {
  alarm: {
    sms: Type.Array(NumberText('A number that gets a text.'), {
      default: [],
      maxItems: 20,
      uniqueItems: true,
      description: 'Numbers that get a text; needs a trunk of sms.',
    }),
  },
  emergency: {
    sms: Type.Array(NumberText('A number that gets a text.'), {
      default: [],
      maxItems: 20,
      description: 'Numbers that get a text; needs a trunk of sms.',
    }),
  },
}
