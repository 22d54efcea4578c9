/** The sections `voice` and `limits` of the configuration. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice, Id, Secret, strict } from './config-forms.ts'

const EndpointSchema = strict(
  {
    id: Id('Name of the endpoint in rules and in POST /api/voice/originate.'),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Name for people.' })),
    controlUrl: Type.String({ minLength: 1, maxLength: 2048, description: 'Where the application answers the events of a call.' }),
    secret: Secret('Signs the requests to this application.'),
    nextSecret: Type.Optional(Secret('The coming secret, during a rotation.')),
    fallbackUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'Asked once where controlUrl fails.' })),
    fallbackDestination: Type.Optional(Type.String({ minLength: 1, description: 'Where the caller goes when the application fails.' })),
    destinations: Type.Array(Type.String({ minLength: 1 }), { default: [], description: 'Where the application may route a call to.' }),
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
    maxCallSeconds: Type.Integer({ default: 14400, minimum: 60, maximum: 28800 }),
    timeoutSeconds: Type.Integer({ default: 10, minimum: 1, maximum: 15, description: 'How long the application may take to answer.' }),
    classOfService: Choice(['internal', 'national', 'international'], {
      default: 'national',
      description: 'Which numbers the application may forward a call to.',
    }),
  },
  'An application that drives calls.',
)

export const VoiceSchema = strict(
  {
    endpoints: Type.Array(EndpointSchema, { default: [] }),
    redirects: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100,
      description: 'Redirects in a row without audio played or input taken.',
    }),
    documents: Type.Integer({ default: 500, minimum: 1, maximum: 10000, description: 'Control documents of one call.' }),
    silentGathers: Type.Integer({ default: 30, minimum: 1, maximum: 1000, description: 'Gathers in a row that ended without input.' }),
    endpointRequests: Type.Integer({ default: 20, minimum: 1, maximum: 1000, description: 'Requests to one endpoint at once.' }),
    recordingDays: Type.Integer({ default: 7, minimum: 1, maximum: 3650, description: 'How long recordings are kept.' }),
    cacheMegabytes: Type.Integer({ default: 256, minimum: 8, maximum: 4096, description: 'Memory for spoken prompts.' }),
  },
  'Programmable voice.',
)

export const LimitsSchema = strict(
  {
    bodyBytes: Type.Integer({ default: 262144, minimum: 1024, maximum: 33554432, description: 'Largest request body.' }),
    largeBodies: Type.Integer({ default: 4, minimum: 1, maximum: 64, description: 'Bodies over 1 MiB at once.' }),
    requestsPerSecond: Type.Integer({ default: 20, minimum: 1, maximum: 100000, description: 'Requests of one token.' }),
    burst: Type.Integer({ default: 40, minimum: 1, maximum: 100000, description: 'Requests of one token in a burst.' }),
    originatesPerMinute: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 100000,
      description: 'Calls that may be asked for in a minute.',
    }),
    originateStartsPerSecond: Type.Integer({
      default: 2,
      minimum: 1,
      maximum: 1000,
      description: 'Queued calls that are dialled in a second.',
    }),
    originateQueue: Type.Integer({ default: 100, minimum: 1, maximum: 10000, description: 'Calls that may wait to be dialled.' }),
    authFailuresPerMinute: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 1000,
      description: 'Wrong tokens of one address in a minute.',
    }),
    authBlockSeconds: Type.Integer({ default: 900, minimum: 1, maximum: 86400, description: 'How long such an address is refused.' }),
  },
  'Limits of the web port.',
)

export type VoiceEndpointConfig = Static<typeof EndpointSchema>
