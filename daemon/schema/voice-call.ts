/** What is said about a call in events and in the API alike. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named } from './named.ts'
import { answerers, callStates, directions, enders, endReasons, transcriptStatuses } from './states.ts'

export const CallIdSchema = named(
  'CallId',
  Type.String({
    pattern: '^CA[0-9a-f]{32}$',
    description: 'Id of the call: CA and 32 lowercase hexadecimal digits, in time order.',
  }),
)

export const IdSchema = Type.String({ format: 'uuid' })

export const TimeSchema = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

export const NullableTimeSchema = Type.Union([TimeSchema, Type.Null()])

export const DirectionSchema = named(
  'CallDirection',
  Choice(directions, { description: 'inbound: somebody calls the box. outbound: the box calls.' }),
)

export const CallStateSchema = named(
  'CallState',
  Choice(callStates, { description: 'completed, busy, no-answer, failed and canceled are final.' }),
)

export const EndReasonSchema = named(
  'CallEndReason',
  Choice(endReasons, {
    description:
      'Why the call ended. caller-hangup, callee-hangup: a person hung up. app-hangup, document-end, api: the application ended it, by ' +
      '`hangup`, by a document that came to its end, or through the API. app-error: the application failed and nothing was left to do. ' +
      'max-duration, media-timeout: a limit of the box. no-answer, busy, rejected, unreachable, no-route, canceled: it was never answered. ' +
      'routed-ended, forwarded-ended: the call was handed on and that ended. failed, shutdown: the box or its network.',
  }),
)

export const EndedBySchema = named('CallEndedBy', Choice(enders, { description: 'Who ended the call; system: the box itself.' }))

export const AnsweredBySchema = named(
  'CallAnsweredBy',
  Choice(answerers, { description: 'unknown unless machine detection was asked for.' }),
)

export const TranscriptStatusSchema = named(
  'TranscriptStatus',
  Choice(transcriptStatuses, {
    description:
      'done: transcript has the words. empty: no speech. off: none was asked for, or the box cannot make one. failed: it could ' +
      'not be made. pending: it comes later, with record.transcribed.',
  }),
)

export const ParamsSchema = named(
  'CallParams',
  Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 4096 }), {
    maxProperties: 100,
    description: 'Texts by name, at most 4 KiB as JSON; repeated in every event of the call.',
  }),
)

export const StatusEventsSchema = Type.Array(Choice(['queued', 'dialing', 'ringing', 'in-progress', 'answered', 'ended']), {
  uniqueItems: true,
  description: 'Which changes of state go to statusCallbackUrl: call.status for each, call.ended for the last. `answered` is in-progress.',
})
