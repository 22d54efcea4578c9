/** The events of a call, as applications receive them. */
import type { TProperties, TSchema } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import {
  AnsweredBySchema,
  CallIdSchema,
  CallStateSchema,
  DirectionSchema,
  EndReasonSchema,
  EndedBySchema,
  IdSchema,
  NullableTimeSchema,
  ParamsSchema,
  TimeSchema,
} from './voice-call.ts'

/** Members of every event. Texts are empty, never null, where nothing is known. */
const envelope = {
  callId: CallIdSchema,
  eventId: Type.String({ format: 'uuid', description: 'The same on every attempt.' }),
  sequence: Type.Integer({ minimum: 1, description: 'Counts the events of the call from 1, without gaps.' }),
  timestamp: TimeSchema,
  direction: DirectionSchema,
  from: Type.String(),
  to: Type.String(),
  callerName: Type.String(),
  trunkId: Type.String(),
  state: CallStateSchema,
  externalRef: Type.Optional(Type.String()),
  params: Type.Optional(ParamsSchema),
}

function event<P extends TProperties>(name: string, description: string, fields: P): TSchema {
  return Type.Object({ event: Type.Literal(name), ...envelope, ...fields }, { description })
}

const durationMs = Type.Integer({ minimum: 0 })
const reason = (values: string) => Type.String({ description: `${values}. Other values may come; treat them like timeout.` })

export const voiceEventSchemas: Readonly<Record<string, TSchema>> = {
  'call.inbound.pre_route': event('call.inbound.pre_route', 'A call arrives; the caller hears it ring.', {
    calledName: Type.Optional(Type.String()),
    diversion: Type.Optional(Type.String()),
    sipHeaders: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  'call.answered': event('call.answered', 'A call placed through the API was answered.', {
    answeredBy: AnsweredBySchema,
    ringSeconds: Type.Integer({ minimum: 0 }),
  }),
  'gather.completed': event('gather.completed', 'A gather ended.', {
    digits: Type.String(),
    speech: Type.String(),
    reason: reason('digits, speech, timeout, no-match, hangup or error'),
    confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    language: Type.Optional(Type.String()),
    finishKey: Type.Optional(Type.String()),
    bargeIn: Type.Boolean(),
    durationMs,
  }),
  'record.completed': event('record.completed', 'A recording ended.', {
    reason: reason('finish-key, silence, max-length, timeout, hangup or error'),
    transcript: Type.String(),
    transcriptStatus: Type.Union([
      Type.Literal('done'),
      Type.Literal('empty'),
      Type.Literal('off'),
      Type.Literal('failed'),
      Type.Literal('pending'),
    ]),
    recordingId: IdSchema,
    mediaUrl: Type.String({ description: 'Path on the web port, fetched with an access token.' }),
    durationMs,
    finishKey: Type.Optional(Type.String()),
  }),
  'call.redirected': event('call.redirected', 'A redirect asks for the next document.', {
    url: Type.String(),
    redirectCount: Type.Integer({ minimum: 1 }),
  }),
  'call.status': event('call.status', 'The call changed its state; the reply is ignored.', {}),
  'call.ended': event('call.ended', 'The call is over; sent exactly once, after all its other events. The reply is ignored.', {
    endReason: EndReasonSchema,
    endedBy: EndedBySchema,
    sipCode: Type.Integer({ minimum: 0 }),
    startedAt: NullableTimeSchema,
    answeredAt: NullableTimeSchema,
    endedAt: TimeSchema,
    ringSeconds: Type.Integer({ minimum: 0 }),
    talkSeconds: Type.Integer({ minimum: 0 }),
    answeredBy: AnsweredBySchema,
    documents: Type.Integer({ minimum: 0 }),
    recordings: Type.Array(IdSchema),
  }),
}
