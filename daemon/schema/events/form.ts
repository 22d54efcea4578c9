/**
 * The forms that events share: the members which every event of a call has, in the order in which a person reads them, and what
 * the documentation says of an event besides its schema.
 */
import { Type, type Static, type TObject, type TProperties, type TUnsafe } from '@sinclair/typebox'
import { named } from '../named.ts'
import { CallIdSchema, CallStateSchema, DirectionSchema, ParamsSchema, TimeSchema } from '../voice-call.ts'

export const EventIdSchema = named(
  'EventId',
  Type.String({
    format: 'uuid',
    description: 'The same on every attempt and in the header X-Service-Event-Id: receivers recognise a repetition by it.',
  }),
)

export const envelope = {
  callId: CallIdSchema,
  eventId: EventIdSchema,
  sequence: Type.Integer({
    minimum: 1,
    description: 'Counts the events of this call from 1, without gaps, those to the status address among them.',
  }),
  timestamp: { ...TimeSchema, description: 'When the event left, ISO 8601, UTC.' },
  direction: DirectionSchema,
  from: Type.String({ description: 'Number of the caller: E.164 if possible, or an extension; empty if it is withheld.' }),
  to: Type.String({ description: 'The number that was dialled.' }),
  callerName: Type.String({ description: 'Name of the caller as the network sent it; empty without one.' }),
  trunkId: Type.String({ description: 'Trunk of the call; empty for a call of a desk phone.' }),
  state: CallStateSchema,
  externalRef: Type.Optional(
    Type.String({ maxLength: 255, description: 'Your own reference; present if POST /api/voice/originate had one.' }),
  ),
  params: Type.Optional({ ...ParamsSchema }),
}
export type EnvelopeKey = keyof typeof envelope | 'event'

/**
 * Where an event goes and what an answer does. `control`: to the application, which answers with a control document. `partial`: to
 * an address that the verb names for it, once; the answer is ignored. The others are kept on the disk and delivered until a 2xx: `later` goes where
 * the event before it went, `stream` to the statusCallbackUrl of the verb, `status` to the status address of the call, `callback` to the statusCallbackUrl of the request, `alarm` to the addresses of a rule of alarms.
 */
export type EventRoute = 'control' | 'partial' | 'later' | 'stream' | 'status' | 'callback' | 'alarm'

export interface EventSpec<T = unknown> {
  readonly schema: TUnsafe<T>
  readonly route: EventRoute
  /** The verb that gives it, where one does. */
  readonly verb?: string
}

interface CallEventOptions<F extends TProperties> {
  /** Of the component in the OpenAPI document. */
  readonly name: string
  readonly route: EventRoute
  readonly verb?: string
  /** When it is sent, and what an answer does. */
  readonly description: string
  /** The event's own members in the example; the others are the same everywhere, but for these of the envelope. */
  readonly example: Static<TObject<F>> & { readonly [K in EnvelopeKey]?: unknown }
}

const exampleEnvelope = {
  callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  eventId: '019a5b3c-5f10-7a61-9d2e-4b8c6f0a1d37',
  sequence: 2,
  timestamp: '2026-03-02T14:05:31.412Z',
  direction: 'inbound',
  from: '+15551230001',
  to: '+15550001000',
  callerName: 'ANN LEE',
  trunkId: 'main',
  state: 'in-progress',
}

/** An event of a call: `fields` are its own members, after those of the envelope. */
export function callEvent<const N extends string, F extends TProperties>(
  event: N,
  fields: F,
  { name, description, example, ...rest }: CallEventOptions<F>,
): EventSpec<{ event: N } & Static<TObject<typeof envelope>> & Static<TObject<F>>> {
  const members: TProperties = { event: Type.Literal(event), ...envelope, ...fields }
  return { schema: sent(name, members, description, { event, ...exampleEnvelope, ...example }), ...rest }
}

/** What is sent has the members that it is said to have, and no other. */
export function sent<T>(name: string, members: TProperties, description: string, example: Readonly<Record<string, unknown>>): TUnsafe<T> {
  const schema = Type.Object(members, { additionalProperties: false, description, examples: [example] })
  return named(name, schema) as unknown as TUnsafe<T>
}
