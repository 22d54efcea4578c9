/** What is said about a call in events and in the API alike. */
import { Type } from '@sinclair/typebox'

export const CallIdSchema = Type.String({
  pattern: '^CA[0-9a-f]{32}$',
  description: 'Id of the call: CA and 32 lowercase hexadecimal digits, in time order.',
})

export const IdSchema = Type.String({ format: 'uuid' })

export const TimeSchema = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

export const NullableTimeSchema = Type.Union([TimeSchema, Type.Null()])

export const DirectionSchema = Type.Union([Type.Literal('inbound'), Type.Literal('outbound')])

export const CallStateSchema = Type.Union(
  [
    Type.Literal('queued'),
    Type.Literal('dialing'),
    Type.Literal('ringing'),
    Type.Literal('in-progress'),
    Type.Literal('completed'),
    Type.Literal('busy'),
    Type.Literal('no-answer'),
    Type.Literal('failed'),
    Type.Literal('canceled'),
  ],
  { description: 'completed, busy, no-answer, failed and canceled are final.' },
)

export const EndReasonSchema = Type.Union([
  Type.Literal('caller-hangup'),
  Type.Literal('callee-hangup'),
  Type.Literal('app-hangup'),
  Type.Literal('document-end'),
  Type.Literal('routed-ended'),
  Type.Literal('forwarded-ended'),
  Type.Literal('api'),
  Type.Literal('app-error'),
  Type.Literal('max-duration'),
  Type.Literal('media-timeout'),
  Type.Literal('no-answer'),
  Type.Literal('busy'),
  Type.Literal('rejected'),
  Type.Literal('unreachable'),
  Type.Literal('no-route'),
  Type.Literal('canceled'),
  Type.Literal('failed'),
  Type.Literal('shutdown'),
])

export const EndedBySchema = Type.Union([Type.Literal('caller'), Type.Literal('callee'), Type.Literal('app'), Type.Literal('system')])

export const AnsweredBySchema = Type.Union([Type.Literal('unknown'), Type.Literal('human'), Type.Literal('machine')], {
  description: 'unknown unless machine detection was asked for.',
})

export const ParamsSchema = Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 4096 }), {
  maxProperties: 100,
  description: 'Texts by name, at most 4 KiB as JSON; repeated in every event of the call.',
})

export const StatusEventsSchema = Type.Array(
  Type.Union([
    Type.Literal('queued'),
    Type.Literal('dialing'),
    Type.Literal('ringing'),
    Type.Literal('in-progress'),
    Type.Literal('answered'),
    Type.Literal('ended'),
  ]),
  {
    uniqueItems: true,
    description:
      'Which changes of state go to statusCallbackUrl: call.status for each, call.ended for the last. `answered` is in-progress.',
  },
)
