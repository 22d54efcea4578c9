/** What the box has sent, or could not send, to the applications' status URLs: for the technician. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import type { Outbox } from './outbox.ts'
import { CallbackDetailSchema, CallbackSchema } from '../schema/callbacks.ts'
import { Choice } from '../schema/choice.ts'
import { callbackStates } from '../schema/states.ts'
import { defineRoute, type Route, Limit, listed } from '../http/route.ts'

const access = 'technician'
const tag = 'Callbacks'
const Params = Type.Object({ eventId: Type.String() })

function unknown(eventId: string): ApiError {
  return new ApiError('callback_unknown', `There is no callback ${eventId}: see "pbx callbacks list".`)
}

export function callbackRoutes(outbox: Pick<Outbox, 'list' | 'show' | 'retry'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/callbacks',
      access,
      operationId: 'listCallbacks',
      deed: 'callback.list',
      polled: true,
      summary: 'List callbacks, newest first',
      tag,
      query: Type.Object({ state: Type.Optional(Choice(callbackStates)), limit: Limit(50) }),
      responses: { 200: { description: 'Callbacks.', schema: Type.Array(CallbackSchema) } },
      handle: ({ query: { state, limit }, deed }) => listed(deed, outbox.list({ limit, ...(state === undefined ? {} : { state }) })),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/callbacks/:eventId',
      access,
      operationId: 'getCallback',
      deed: 'callback.read',
      polled: true,
      summary: 'One callback with its body',
      tag,
      params: Params,
      responses: { 200: { description: 'The callback.', schema: CallbackDetailSchema } },
      handle: ({ params: { eventId } }) => {
        const callback = outbox.show(eventId)
        if (callback === undefined) throw unknown(eventId)
        return { status: 200, body: callback }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/callbacks/:eventId/retry',
      access,
      operationId: 'retryCallback',
      deed: 'callback.retry',
      summary: 'Send a callback again now',
      tag,
      params: Params,
      responses: {
        200: { description: 'It is due.', schema: Type.Object({ eventId: Type.String(), state: Type.Literal('pending') }) },
      },
      handle: async ({ params: { eventId }, deed }) => {
        if (!(await outbox.retry(eventId, () => deed.record(eventId)))) throw unknown(eventId)
        return { status: 200, body: { eventId, state: 'pending' } }
      },
    }),
  ]
}
