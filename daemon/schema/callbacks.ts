/** Status callbacks as a technician sees them. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { callbackStates } from './states.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

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
