/** `pbx limits`: what was used of the day, and a day that begins anew. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { withBody, type ControlRoute } from '../route.ts'
import type { ControlServices, LimitsServicesView } from '../services.ts'

const Reset = Type.Object({ token: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }, { additionalProperties: false })

function limitsOf({ limits }: ControlServices): LimitsServicesView {
  if (limits === undefined) throw new ApiError('not_found', 'This daemon has no daily limits.')
  return limits
}

export const limitRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/limits', answer: (services) => limitsOf(services).list() },
  withBody({
    method: 'POST',
    path: '/limits/reset',
    deed: 'limits.reset',
    body: Reset,
    answer: (services, { body: { token }, deed }) => limitsOf(services).reset(token, () => deed.record(token ?? '')),
  }),
]
