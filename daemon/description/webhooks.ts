/**
 * What the box sends, for the OpenAPI document: each event and callback as a webhook, with its headers and what may be answered; frames of
 * media streams, which no operation has.
 */
import type { TSchema } from '@sinclair/typebox'
import { eventSpecs, type EventName } from '../schema/events.ts'
import type { EventRoute, EventSpec } from '../schema/events/form.ts'
import { boxFrames, serverFrames, type FrameSpec } from '../schema/stream-frames.ts'
import type { Json, Plain, Route } from '../http/route.ts'

const header = (name: string, required: boolean, description: string, schema: Json): Json => {
  return { name, in: 'header', required, description, schema }
}

const signed = 'Missing where no secret is configured, which is for trying out only.'

export const webhookHeaders: Readonly<Record<string, Json>> = {
  ServiceSignature: header(
    'X-Service-Signature',
    false,
    `sha256= and, in lowercase hexadecimal, the HMAC-SHA256 of the timestamp, a period and the raw body, with the shared secret as key. ${signed}`,
    { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
  ),
  ServiceTimestamp: header('X-Service-Timestamp', false, `Unix seconds, of this attempt. ${signed}`, {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  ServiceEventId: header('X-Service-Event-Id', true, 'Of an event the eventId of its body; the same on every attempt.', {
    type: 'string',
    format: 'uuid',
  }),
  ServiceAttempt: header('X-Service-Attempt', true, 'Counts the attempts from 1.', { type: 'string', pattern: '^[1-9][0-9]*$' }),
}

const sharedHeaders = Object.keys(webhookHeaders).map((key) => ({ $ref: `#/components/parameters/${key}` }))

const tagOf: Readonly<Record<EventRoute, string>> = {
  control: 'Events that are answered',
  partial: 'Events without an answer',
  later: 'Events without an answer',
  stream: 'Events without an answer',
  status: 'Events without an answer',
  callback: 'Callbacks',
  alarm: 'Callbacks',
}

const refusal = (description: string): Json => ({
  description,
  content: {
    'application/json': { schema: { type: 'object', properties: { error: { type: 'string' } } }, example: { error: description } },
  },
})

/** What an application answers to what is not for it. */
const refused = { 403: refusal('The signature is wrong.'), 404: refusal('There is nothing at this path.') }

/** `routes`: with what each brings of its own. */
export function webhooks(plain: Plain, routes: readonly Route[]): Json {
  const events = Object.entries(eventSpecs).map(([name, spec]) => [name, { post: operation(name as EventName, spec, plain) }])
  const brought = routes.map(({ describes }) => describes?.webhooks?.(plain, sharedHeaders) ?? {})
  return { event: anyEvent(), stream: { get: mediaStream }, ...Object.fromEntries(events), ...Object.assign({}, ...brought) }
}

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** For a program that has one address for all of them. */
function anyEvent(): Json {
  const { examples = [] } = eventSpecs['call.inbound.pre_route'].schema as TSchema
  return {
    post: {
      operationId: 'onEvent',
      summary: 'Any of the events below, to a program with one address for all',
      description: 'The member `event` says which it is. The answer is read where that event is answered with a control document.',
      tags: [tagOf.control],
      security: [],
      parameters: sharedHeaders,
      requestBody: { required: true, content: { 'application/json': { schema: reference('Event'), example: examples[0] } } },
      responses: answered,
    },
  }
}

const mediaStream: Json = {
  operationId: 'onStream',
  summary: 'A media stream is opened',
  description:
    'A WebSocket (RFC 6455) to the `url` of the verb `stream`. Afterwards text frames go both ways: StreamFrame from the box, StreamServerFrame to it. docs/stream.md.',
  tags: [tagOf.stream],
  security: [],
  parameters: ['ServiceSignature', 'ServiceTimestamp', 'ServiceAttempt'].map((key) => ({ $ref: `#/components/parameters/${key}` })),
  responses: {
    101: {
      description: 'The stream is open.',
      content: { 'application/json': { schema: { anyOf: [reference('StreamFrame'), reference('StreamServerFrame')] } } },
    },
    ...refused,
    default: { description: 'A failure. The box tries once more, then the stream ends.' },
  },
}

/** All of them, distinguished by `event`: events, and the frames of a stream in either direction. */
export function unions(plain: Plain): Json {
  const events = new Set(Object.values(eventSpecs).map(({ schema }) => schema))
  const of = (schemas: Iterable<TSchema>, description: string): Json => ({
    description,
    anyOf: Array.from(schemas, (schema) => plain(open(schema))),
  })
  const schemasOf = (frames: Readonly<Record<string, FrameSpec>>) => Object.values(frames).map(({ schema }) => schema)
  return {
    Event: of(events, 'All events that the box sends. `event` names the kind. Later versions may add events and members.'),
    StreamFrame: of(
      schemasOf(boxFrames),
      'What the box sends to the server of a media stream (the verb `stream`), as JSON in text frames. `event` names the kind. See docs/frames.md.',
    ),
    StreamServerFrame: of(
      schemasOf(serverFrames),
      'What the server of a media stream sends. Anything else is passed over, and counted in the trace of the call.',
    ),
  }
}

function operation(name: EventName, { schema, route }: EventSpec, plain: Plain): Json {
  const { description = '', examples = [] } = schema
  const [summary = ''] = description.split(/(?<=[.;]) /)
  return {
    operationId: `on${name.replaceAll(/(?:^|[._-])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: summary.replace(/[.;]$/, ''),
    description,
    tags: [tagOf[route]],
    security: [],
    parameters: sharedHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: plain(open(schema)), example: exampleOf(name, examples[0]) } },
    },
    responses: route === 'control' ? answered : taken[route],
  }
}

/** Of events that share a form each has its own name in its example. */
function exampleOf(name: EventName, example: unknown): unknown {
  const [first = '', outcome] = name.split('.')
  if (first === 'alarm') return { ...(example as Json), event: name }
  return first === 'reminder' ? { ...(example as Json), event: name, outcome } : example
}

/** We send what the schema says and nothing else; a receiver that refused what it does not know would refuse the next version. */
function open({ additionalProperties: _, ...schema }: TSchema): Json {
  return schema as Json
}

const answered: Json = {
  200: {
    description: 'What is done next.',
    content: { 'application/json': { schema: reference('ControlDocument'), example: [{ say: { text: 'Hello.' } }, { hangup: {} }] } },
  },
  204: { description: 'The same as an empty document.' },
  ...refused,
  default: { description: 'A failure: it is tried again where that may help, then the fallbacks of the endpoint are taken.' },
}

const kept = {
  '2XX': { description: 'Taken; the body is not read.' },
  410: { description: 'Not wanted any more: it is not sent again.' },
  default: { description: 'A failure: it is sent again on a schedule.' },
}

const taken: Readonly<Record<Exclude<EventRoute, 'control'>, Json>> = {
  partial: {
    '2XX': { description: 'Taken; the body is not read.' },
    default: { description: 'A failure: no more of these are sent in this gather.' },
  },
  later: kept,
  stream: kept,
  status: kept,
  callback: kept,
  alarm: kept,
}
