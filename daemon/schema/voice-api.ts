/** Requests and answers of the voice routes. */
import { Type, type Static } from '@sinclair/typebox'
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
  StatusEventsSchema,
  TimeSchema,
  TranscriptStatusSchema,
} from './voice-call.ts'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { callActivities } from './states.ts'

const url = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description })

/** What is in a document is checked as a whole by the document's own rules, which can check more than a schema. */
const document = () => named('ControlDocument', Type.Array(Type.Unknown(), { description: 'Control document: an array of verbs.' }))

/** Taken as it is, so that its faults are reported verb by verb. */
export const ValidateRequestSchema = named(
  'ValidateRequest',
  Type.Union([Type.Array(Type.Unknown()), Type.Object({ document: Type.Optional(Type.Unknown()) }), Type.Unknown()], {
    examples: [[{ say: { text: 'Hello.' } }, { gather: { numDigits: 1 } }]],
  }),
)

export const OriginateSchema = named(
  'OriginateRequest',
  Type.Object(
    {
      to: Type.String({ minLength: 1, maxLength: 64, description: 'Number in E.164 or national form, or an extension.' }),
      controlUrl: Type.Optional(url('Absolute URL that receives call.answered and says what happens. Or: endpoint, or document.')),
      url: Type.Optional(url('Another name of controlUrl.')),
      actionUrl: Type.Optional(url('Another name of controlUrl.')),
      endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Id or name of a configured voice endpoint.' })),
      document: Type.Optional(document()),
      from: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'A number of a trunk. Default: the first one of the trunk.' }),
      ),
      trunkId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Default: the trunk of from, or the default trunk.' }),
      ),
      callerName: Type.Optional(
        Type.String({ maxLength: 100, description: 'Name shown to the called person. Default: the name of the site.' }),
      ),
      timeout: Type.Optional(Type.Integer({ minimum: 5, maximum: 120, default: 30, description: 'Seconds to let it ring.' })),
      maxDuration: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 28800, default: 3600, description: 'Longest time of the call in seconds.' }),
      ),
      machineDetection: Type.Optional(
        Type.Union([Type.Literal('off'), Type.Literal('detect'), Type.Literal('greeting-end')], {
          default: 'off',
          description: 'Only off in this version.',
        }),
      ),
      statusCallbackUrl: Type.Optional(url('Receives call.ended, and call.status where statusEvents asks for it.')),
      statusEvents: Type.Optional(StatusEventsSchema),
      externalRef: Type.Optional(Type.String({ maxLength: 255, description: 'Your own reference; repeated in every event.' })),
      params: Type.Optional(ParamsSchema),
    },
    {
      description: 'Exactly one of controlUrl (or url, or actionUrl), endpoint and document says what drives the call.',
      examples: [
        { to: '+15551230001', endpoint: 'reception', externalRef: 'A-5' },
        { to: '101', document: [{ say: { text: 'The doctor is ready.' } }] },
      ],
    },
  ),
)
export type OriginateRequest = Static<typeof OriginateSchema>

export const OriginateAnswerSchema = Type.Object({
  callId: CallIdSchema,
  state: Type.Literal('queued'),
  to: Type.String(),
  from: Type.String(),
  externalRef: Type.Optional(Type.String()),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What should be looked at though the call is placed: a number that the numbering plan does not have.',
    }),
  ),
})

const CallLegSchema = named(
  'CallLeg',
  Type.Object({
    to: Type.String({ description: 'Extension or number that was called.' }),
    trunkId: Type.String({ description: '"" for a desk phone.' }),
    state: CallStateSchema,
    startedAt: TimeSchema,
    answeredAt: NullableTimeSchema,
    endedAt: NullableTimeSchema,
    sipCode: Type.Integer({ minimum: 0, description: 'Final status; 0 where none was seen or we hung up.' }),
  }),
)

export type CallLeg = Static<typeof CallLegSchema>

export const CallSchema = named(
  'Call',
  Type.Object({
    callId: CallIdSchema,
    direction: DirectionSchema,
    state: CallStateSchema,
    activity: Choice(callActivities, { description: 'What a live call does at the moment.' }),
    from: Type.String(),
    to: Type.String(),
    callerName: Type.String(),
    trunkId: Type.String(),
    endpoint: Type.Optional(Type.String({ description: 'Id of the voice endpoint.' })),
    extension: Type.Optional(Type.String({ description: 'Extension that calls or is called.' })),
    externalRef: Type.Optional(Type.String()),
    params: Type.Optional(ParamsSchema),
    createdAt: TimeSchema,
    startedAt: NullableTimeSchema,
    answeredAt: NullableTimeSchema,
    endedAt: NullableTimeSchema,
    ringSeconds: Type.Integer({ minimum: 0 }),
    talkSeconds: Type.Integer({ minimum: 0 }),
    endReason: Type.Optional(Type.Union([EndReasonSchema, Type.Null()])),
    endedBy: Type.Optional(Type.Union([EndedBySchema, Type.Null()])),
    sipCode: Type.Optional(Type.Integer({ minimum: 0 })),
    answeredBy: AnsweredBySchema,
    documents: Type.Integer({ minimum: 0, description: 'Control documents run.' }),
    recordings: Type.Array(IdSchema),
    legs: Type.Optional(
      Type.Array(CallLegSchema, {
        description: 'Those with whom the call was to be connected, in that order; left out where there was nobody.',
      }),
    ),
  }),
)

export type CallView = View<typeof CallSchema>

/** One call, for the description of the interface. */
export const callExample = {
  callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  direction: 'outbound',
  state: 'completed',
  activity: '',
  from: '+15550001000',
  to: '+15551230001',
  callerName: 'Riverside Clinic',
  trunkId: 'main',
  endpoint: 'reception',
  externalRef: 'A-5',
  createdAt: '2026-03-02T14:05:11.000Z',
  startedAt: '2026-03-02T14:05:11.020Z',
  answeredAt: '2026-03-02T14:05:19.410Z',
  endedAt: '2026-03-02T14:06:02.730Z',
  ringSeconds: 8,
  talkSeconds: 43,
  endReason: 'callee-hangup',
  endedBy: 'callee',
  sipCode: 200,
  answeredBy: 'unknown',
  documents: 2,
  recordings: [],
}

export const CallListSchema = Type.Object({
  items: Type.Array(CallSchema),
  calls: Type.Array(CallSchema, { deprecated: true, description: 'The same as items.' }),
  nextCursor: Type.Union([CallIdSchema, Type.Null()], { description: 'For the next page; null at the end.' }),
})

export const CallActionSchema = named(
  'CallAction',
  Type.Object(
    {
      document: Type.Optional(document()),
      redirectUrl: Type.Optional(url('Absolute URL that receives call.redirected and answers with the next document.')),
      state: Type.Optional(
        Type.Union([Type.Literal('completed'), Type.Literal('canceled')], {
          description: 'Ends the call; canceled only before it is answered.',
        }),
      ),
    },
    {
      description: 'Exactly one of the three.',
      examples: [{ state: 'completed' }, { document: [{ say: { text: 'One moment.' } }, { hangup: {} }] }],
    },
  ),
)
export type CallAction = Static<typeof CallActionSchema>

export const TraceEntrySchema = named(
  'TraceEntry',
  Type.Object({
    at: TimeSchema,
    ms: Type.Integer({ description: 'Milliseconds since the call began.' }),
    kind: Type.String({ description: 'event, document, verb, key, prompt, state, leg, warning or error.' }),
    text: Type.String({ description: 'Complete for a person.' }),
    data: Type.Optional(Type.Unknown({ description: 'More of it, for a program.' })),
  }),
)
export type TraceEntryView = View<typeof TraceEntrySchema>

export const CallTraceSchema = named(
  'CallTrace',
  Type.Object({
    callId: CallIdSchema,
    call: CallSchema,
    entries: Type.Array(TraceEntrySchema),
    dropped: Type.Integer({ minimum: 0, description: 'Entries left out because the trace was full.' }),
  }),
)
export type TraceView = View<typeof CallTraceSchema>

export const RecordingSchema = named(
  'Recording',
  Type.Object({
    recordingId: IdSchema,
    callId: CallIdSchema,
    createdAt: TimeSchema,
    expiresAt: TimeSchema,
    durationMs: Type.Integer(),
    bytes: Type.Integer(),
    transcriptStatus: TranscriptStatusSchema,
  }),
)
export type RecordingView = View<typeof RecordingSchema>

const ProblemSchema = Type.Object({
  path: Type.String({ description: 'JSON pointer into the document, such as /2/gather/actionUrl.' }),
  message: Type.String(),
})

export const ValidationSchema = named(
  'Validation',
  Type.Object({
    valid: Type.Boolean(),
    errors: Type.Array(ProblemSchema, { description: 'Why the document would be refused.' }),
    warnings: Type.Array(ProblemSchema, { description: 'What would be ignored or changed, and what this box cannot do: no model for it.' }),
  }),
)
