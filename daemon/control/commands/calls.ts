/** `pbx calls`, `pbx trace`: what calls there are and what happened in one. */
import { ApiError } from '../../errors.ts'
import { limitOf, listed, type ControlRoute } from '../route.ts'

function unknown(callId: string): ApiError {
  return new ApiError('call_unknown', `There is no call ${callId}: see "pbx calls --all".`)
}

export const callRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/calls',
    deed: 'call.list',
    answer: (services, { query, deed }) =>
      listed(deed, services.calls.list({ all: query.get('all') === 'true', limit: limitOf(query, 50) })),
  },
  {
    method: 'GET',
    path: '/calls/:callId',
    deed: 'call.read',
    answer(services, { params: { callId = '' } }) {
      const call = services.calls.show(callId)
      if (!call) throw unknown(callId)
      return call
    },
  },
  {
    method: 'GET',
    path: '/calls/:callId/trace',
    deed: 'trace.read',
    answer(services, { params: { callId = '' } }) {
      const trace = services.calls.trace(callId)
      if (!trace) throw unknown(callId)
      return trace
    },
  },
]
