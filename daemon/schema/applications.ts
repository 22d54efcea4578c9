/** The applications that drive calls, as a technician sees them. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'
import { callbackStates } from './states.ts'

/** Status callbacks as a technician sees them. */
const callback = {
  eventId: Type.String({ format: 'uuid' }),
  kind: Type.String({ description: 'Event, such as call.ended.' }),
  subject: Type.String({ description: 'Id of what it reports.' }),
  url: Type.String(),
  state: Choice(callbackStates, { description: 'dead: given up.' }),
  attempts: Type.Integer({ minimum: 0 }),
  createdAt: TimeSchema,
  nextAttemptAt: NullableTimeSchema,
  lastResult: Type.String({ description: 'Outcome of the last attempt: a status or the error\'s text; "" before the first.' }),
}

export const CallbackSchema = named('Callback', Type.Object(callback))
export type CallbackView = View<typeof CallbackSchema>

export const CallbackDetailSchema = named(
  'CallbackDetail',
  Type.Object({
    ...callback,
    lastAttemptAt: NullableTimeSchema,
    body: Type.String({ description: 'The exact bytes that are sent; "" once delivered.' }),
  }),
)
export type CallbackDetailView = View<typeof CallbackDetailSchema>

export const ApplicationSchema = named(
  'Application',
  Type.Object({
    id: Type.String(),
    name: Type.String({ description: '"" without a name for people.' }),
    place: Type.String({ description: 'Scheme, host, port and path of its control URL.' }),
    circuit: Choice(['closed', 'open', 'probing'], {
      description:
        'closed: it is asked. open: after five failures in a row callers do not wait for it until `openUntil`. probing: one request finds out.',
    }),
    openUntil: NullableTimeSchema,
    failuresInRow: Type.Integer({ minimum: 0 }),
    answered: Type.Integer({ minimum: 0, description: 'Since the start of the daemon.' }),
    failed: Type.Integer({ minimum: 0, description: 'Since the start of the daemon.' }),
    lastAnswerAt: NullableTimeSchema,
    lastAnswerMs: Type.Union([Type.Integer(), Type.Null()], { description: 'How long it took.' }),
    lastFailure: Type.Union([
      Type.Object({
        at: TimeSchema,
        reason: Choice(['connect', 'timeout', 'status', 'too-large', 'not-json', 'circuit-open', 'aborted']),
        text: Type.String(),
      }),
      Type.Null(),
    ]),
    calls: Type.Integer({ minimum: 0, description: 'That it drives now.' }),
    numbers: Type.Array(Type.String(), { description: 'Numbers of the house that lead to it.' }),
    fallback: Type.String({ description: 'Where callers go while it fails; "" for nowhere.' }),
  }),
)
export type ApplicationView = View<typeof ApplicationSchema>
