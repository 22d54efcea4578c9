/** What the box has sent, or could not send, to the applications' status URLs: for technicians. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import type { Outbox } from './outbox.ts'
import { CallbackDetailSchema, CallbackSchema } from '../schema/applications.ts'
import { Choice } from '../schema/choice.ts'
import { callbackStates } from '../schema/states.ts'
import { placeOf } from '../base/for-log.ts'
import { seesMasked } from '../http/mask.ts'
import { defineRoute, type Principal, type Route, Limit, listed } from '../http/route.ts'

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
      people: ['technician'],
      operationId: 'listCallbacks',
      deed: 'callback.list',
      polled: true,
      summary: 'List callbacks, newest first',
      tag,
      query: Type.Object({ state: Type.Optional(Choice(callbackStates)), limit: Limit(50) }),
      responses: { 200: { description: 'Callbacks.', schema: Type.Array(CallbackSchema) } },
      handle: ({ query: { state, limit }, token, deed }) => {
        const found = outbox.list({ limit, ...(state === undefined ? {} : { state }) })
        return listed(
          deed,
          found.map((callback) => shown(token, callback)),
        )
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/callbacks/:eventId',
      access,
      people: ['technician'],
      operationId: 'getCallback',
      deed: 'callback.read',
      polled: true,
      summary: 'One callback with its body',
      tag,
      params: Params,
      responses: { 200: { description: 'The callback.', schema: CallbackDetailSchema } },
      handle: ({ params: { eventId }, token }) => {
        const callback = outbox.show(eventId)
        if (callback === undefined) throw unknown(eventId)
        return { status: 200, body: shown(token, callback) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/callbacks/:eventId/retry',
      access,
      people: ['technician'],
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

/** A person who is a technician sees neither what is sent nor what an address says of a patient. */
function shown<C extends { readonly url: string }>(token: Principal | null, callback: C): C {
  return seesMasked(token)
    ? { ...callback, subject: '', url: placeOf(callback.url), ...('body' in callback ? { body: '' } : {}) }
    : callback
}
