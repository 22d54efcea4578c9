/** The sections `voice` and `limits` of the configuration. */
import { Type, type Static } from '@sinclair/typebox'
import { ClassOfServiceSchema } from './pbx-outbound.ts'
import { afterRestart, Choice, Id, live, SigningSecret, strict } from './forms.ts'

const EndpointSchema = strict(
  {
    id: Id('Name of the endpoint in rules and in POST /api/voice/originate.'),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Name for people.' })),
    controlUrl: Type.String({ minLength: 1, maxLength: 2048, description: 'URL at which the application answers the events of a call.' }),
    secret: SigningSecret('Signs the requests to this application.'),
    nextSecret: Type.Optional(SigningSecret('The coming secret, during a rotation.')),
    fallbackUrl: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'URL that is asked once when controlUrl fails.' }),
    ),
    fallbackDestination: Type.Optional(Type.String({ minLength: 1, description: 'Where the caller goes when the application fails.' })),
    destinations: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Destinations to which the application may route a call.',
    }),
    statusCallbackUrl: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'Gets call.ended of every call of this endpoint.' }),
    ),
    statusEvents: Type.Array(Choice(['queued', 'dialing', 'ringing', 'in-progress', 'ended']), {
      default: ['ended'],
      uniqueItems: true,
      description: 'Which changes of state go to statusCallbackUrl.',
    }),
    waitAudio: Choice(['none', 'tone', 'phrase'], {
      default: 'phrase',
      description: 'What the caller hears when the application takes longer than 3 seconds.',
    }),
    maxCallSeconds: Type.Integer({ default: 14400, minimum: 60, maximum: 28800, description: 'Longest call of this application.' }),
    timeoutSeconds: Type.Integer({ default: 10, minimum: 1, maximum: 15, description: 'How long the application may take to answer.' }),
    classOfService: ClassOfServiceSchema('Class of service for numbers to which the application forwards calls.'),
  },
  'An application that drives calls.',
)

export const VoiceSchema = strict(
  {
    endpoints: live(Type.Array(EndpointSchema, { default: [], description: 'The applications that drive calls.' })),
    sipHeaders: live(
      Type.Array(Type.String({ pattern: '^[Xx]-[A-Za-z0-9-]{1,60}$' }), {
        default: [],
        maxItems: 20,
        description: 'X- headers of an incoming INVITE that the first event passes to the application, such as X-Customer-Id.',
      }),
    ),
    redirects: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100,
      description: 'Redirects in a row without audio played or input taken.',
    }),
    documents: Type.Integer({ default: 500, minimum: 1, maximum: 10000, description: 'Control documents of one call.' }),
    silentGathers: Type.Integer({ default: 30, minimum: 1, maximum: 1000, description: 'Gathers in a row that ended without input.' }),
    endpointRequests: Type.Integer({ default: 20, minimum: 1, maximum: 1000, description: 'Requests to one endpoint at once.' }),
    streams: Type.Integer({ default: 32, minimum: 0, maximum: 200, description: 'Media streams open at once; 0 for none.' }),
    streamCaFile: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'PEM file with further authorities for wss:// servers of media streams.',
      }),
    ),
    trace: live(
      Choice(['masked', 'full'], {
        default: 'masked',
        description:
          'masked: traces show what happened and when, without keys, speech, transcripts and spoken texts. full: with them, to find a fault.',
      }),
    ),
    traceDays: Type.Integer({ default: 7, minimum: 1, maximum: 3650, description: 'How long traces of calls are kept.' }),
    callDays: Type.Integer({
      default: 90,
      minimum: 1,
      maximum: 3650,
      description: 'How long rows of calls are kept: numbers, times, end.',
    }),
    historyDays: Type.Integer({
      default: 730,
      minimum: 1,
      maximum: 3650,
      description: 'How long the history of calls is kept: numbers, names, the person who answered, the way and the outcome.',
    }),
    recordingDays: Type.Integer({ default: 7, minimum: 1, maximum: 3650, description: 'How long recordings are kept.' }),
    cacheMegabytes: Type.Integer({ default: 256, minimum: 8, maximum: 4096, description: 'Memory for spoken prompts.' }),
  },
  'Programmable voice.',
)

const perDay = {
  texts: (most: object) => Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Parts of texts.', ...most }),
  faxes: (most: object) => Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Faxes accepted.', ...most }),
  callMinutes: (most: object) =>
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Minutes begun of answered calls to the outside, faxes and reminders among them.',
      ...most,
    }),
  internationalMinutes: (most: object) =>
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Those of them to other countries.', ...most }),
}

const PerDaySchema = strict(
  {
    texts: perDay.texts({ default: 2000 }),
    faxes: perDay.faxes({ default: 500 }),
    callMinutes: perDay.callMinutes({ default: 3000 }),
    internationalMinutes: perDay.internationalMinutes({ default: 60 }),
    perToken: strict(
      {
        texts: perDay.texts({ default: 1000 }),
        faxes: perDay.faxes({ default: 250 }),
        callMinutes: perDay.callMinutes({ default: 1500 }),
        internationalMinutes: perDay.internationalMinutes({ default: 30 }),
      },
      'The same for each access token, so that a stolen one does not use up the day of the others.',
    ),
    tokens: Type.Record(
      Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' }),
      strict(
        {
          texts: Type.Optional(perDay.texts({})),
          faxes: Type.Optional(perDay.faxes({})),
          callMinutes: Type.Optional(perDay.callMinutes({})),
          internationalMinutes: Type.Optional(perDay.internationalMinutes({})),
        },
        'Other figures for the token of this name.',
      ),
      { default: {}, description: 'Other figures for single tokens, by their names.' },
    ),
  },
  'What the box may use in a day of site.timeZone; at half of it comes a warning, beyond it nothing more is accepted. 0 for nothing.',
)

export const LimitsSchema = strict(
  {
    bodyBytes: afterRestart(Type.Integer({ default: 262144, minimum: 1024, maximum: 33554432, description: 'Largest request body.' })),
    largeBodies: afterRestart(Type.Integer({ default: 4, minimum: 1, maximum: 64, description: 'Bodies over 1 MiB at once.' })),
    requestsPerSecond: afterRestart(Type.Integer({ default: 20, minimum: 1, maximum: 100000, description: 'Requests of one token.' })),
    burst: afterRestart(Type.Integer({ default: 40, minimum: 1, maximum: 100000, description: 'Requests of one token in a burst.' })),
    originatesPerMinute: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 100000,
      description: 'Requested calls in a minute.',
    }),
    originateStartsPerSecond: Type.Integer({
      default: 2,
      minimum: 1,
      maximum: 1000,
      description: 'Queued calls that are dialled in a second.',
    }),
    originateQueue: Type.Integer({ default: 100, minimum: 1, maximum: 10000, description: 'Calls that may wait to be dialled.' }),
    perDay: PerDaySchema,
    internationalCalls: Type.Integer({
      default: 2,
      minimum: 0,
      maximum: 1000,
      description: 'Calls of phones, and forwarded ones, to other countries at once.',
    }),
    authFailuresPerMinute: afterRestart(
      Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 1000,
        description: 'Wrong tokens of one address in a minute.',
      }),
    ),
    authBlockSeconds: afterRestart(
      Type.Integer({ default: 900, minimum: 1, maximum: 86400, description: 'How long such an address is refused.' }),
    ),
  },
  'Limits of the web port, and daily ceilings.',
)

export type VoiceEndpointConfig = Static<typeof EndpointSchema>
