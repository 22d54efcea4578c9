/** What was used of the day, and its reset: for the technician. */
import { Type } from '@sinclair/typebox'
import type { Ceilings } from './ceilings.ts'
import { ApiError } from '../base/errors.ts'
import { LimitResetSchema, LimitSchema } from '../schema/limits.ts'
import type { Store } from '../store/store.ts'
import { defineRoute, type Route } from '../http/route.ts'

const access = 'technician'
const tag = 'Limits'
const responses = {
  200: { description: 'The box first, then the tokens that used something today.', schema: Type.Array(LimitSchema) },
}

export function limitRoutes({ ceilings, store }: { readonly ceilings: Ceilings; readonly store: Store }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/limits',
      access,
      people: ['technician'],
      operationId: 'listLimits',
      summary: 'What the box and each token used of the day',
      tag,
      responses,
      handle: () => ({ status: 200, body: ceilings.view() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/limits/reset',
      access,
      people: ['technician'],
      operationId: 'resetLimits',
      deed: 'limits.reset',
      summary: 'Set the counts of today to zero, for one token or for all',
      tag,
      body: LimitResetSchema,
      responses,
      handle: async ({ body: { token }, deed }) => {
        const known = await store.transaction(() => {
          if (!ceilings.reset(token)) return false
          deed.record(token ?? '')
          return true
        })
        if (!known) throw new ApiError('not_found', `The token ${token} used nothing: see "pbx limits".`)
        return { status: 200, body: ceilings.view() }
      },
    }),
  ]
}
