/** `pbx callbacks`: what the box has told, or could not tell, the applications' status URLs. */
import { ApiError } from '../../errors.ts'
import { callbackStates, type CallbackState } from '../../schema/states.ts'
import { limitOf, listed, type ControlRoute } from '../route.ts'

const states: readonly string[] = callbackStates

function unknown(eventId: string): ApiError {
  return new ApiError('callback_unknown', `There is no callback ${eventId}: see "pbx callbacks list".`)
}

export const callbackRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/callbacks',
    deed: 'callback.list',
    answer(services, { query, deed }) {
      const state = query.get('state')
      if (state !== null && !states.includes(state)) {
        throw new ApiError('validation_failed', `A callback's state is one of ${states.join(', ')}.`)
      }
      return listed(
        deed,
        services.callbacks.list({ ...(state === null ? {} : { state: state as CallbackState }), limit: limitOf(query, 50) }),
      )
    },
  },
  {
    method: 'GET',
    path: '/callbacks/:eventId',
    deed: 'callback.read',
    answer(services, { params: { eventId = '' } }) {
      const callback = services.callbacks.show(eventId)
      if (!callback) throw unknown(eventId)
      return callback
    },
  },
  {
    method: 'POST',
    path: '/callbacks/:eventId/retry',
    deed: 'callback.retry',
    async answer(services, { params: { eventId = '' }, deed }) {
      if (!(await services.callbacks.retry(eventId, () => deed.record(eventId)))) throw unknown(eventId)
      return { eventId, state: 'pending' }
    },
  },
]
