/** `pbx sms`: send a text, see what became of it, the trunks, and who asked not to be texted. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { limitOf, withBody, type ControlRoute } from '../route.ts'
import type { ControlServices, SmsServicesView } from '../services.ts'

const SendSms = Type.Object(
  {
    to: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 100 }),
    text: Type.String({ minLength: 1, maxLength: 20_000 }),
  },
  { additionalProperties: false },
)

const states: readonly string[] = ['queued', 'sending', 'retrying', 'sent', 'delivered', 'failed', 'unknown']

function textsOf(services: ControlServices): SmsServicesView {
  if (services.sms === undefined) throw new ApiError('no_sms_trunk', 'This daemon has no texts.')
  return services.sms
}

export const smsRoutes: readonly ControlRoute[] = [
  withBody({ method: 'POST', path: '/sms', body: SendSms, answer: (services, { body }) => textsOf(services).send(body) }),
  {
    method: 'GET',
    path: '/sms',
    answer(services, { query }) {
      const state = query.get('state')
      if (state !== null && !states.includes(state))
        throw new ApiError('validation_failed', `A text's state is one of ${states.join(', ')}.`)
      return textsOf(services).list({ ...(state === null ? {} : { state }), limit: limitOf(query, 50) })
    },
  },
  { method: 'GET', path: '/sms-trunks', answer: (services) => textsOf(services).trunks() },
  { method: 'GET', path: '/sms-stop-list', answer: (services) => textsOf(services).stopList.list() },
  {
    method: 'POST',
    path: '/sms-stop-list/:number',
    answer: (services, { params: { number = '' } }) => textsOf(services).stopList.add(number),
  },
  {
    method: 'DELETE',
    path: '/sms-stop-list/:number',
    async answer(services, { params: { number = '' } }) {
      if (await textsOf(services).stopList.remove(number)) return { removed: number }
      throw new ApiError('not_found', `${number} is not on the list.`)
    },
  },
  { method: 'GET', path: '/sms/:id', answer: (services, { params: { id = '' } }) => textsOf(services).show(id) },
]
