/** `pbx sms`: send a text, see what became of it, the trunks, and who asked not to be texted. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { maskNumber } from '../../log.ts'
import { limitOf, listed, withBody, type ControlRoute } from '../route.ts'
import { smsStates } from '../../schema/states.ts'
import type { ControlServices, SmsServicesView } from '../services.ts'

const SendSms = Type.Object(
  {
    to: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 100 }),
    text: Type.String({ minLength: 1, maxLength: 20_000 }),
  },
  { additionalProperties: false },
)

const states: readonly string[] = smsStates

function textsOf(services: ControlServices): SmsServicesView {
  if (services.sms === undefined) throw new ApiError('no_sms_trunk', 'This daemon has no texts.')
  return services.sms
}

export const smsRoutes: readonly ControlRoute[] = [
  withBody({
    method: 'POST',
    path: '/sms',
    deed: 'sms.send',
    body: SendSms,
    answer: (services, { body, deed }) => textsOf(services).send(body, (ids) => deed.record(ids.join(' '), ids.length)),
  }),
  {
    method: 'GET',
    path: '/sms',
    deed: 'sms.list',
    answer(services, { query, deed }) {
      const state = query.get('state')
      if (state !== null && !states.includes(state))
        throw new ApiError('validation_failed', `A text's state is one of ${states.join(', ')}.`)
      return listed(deed, textsOf(services).list({ ...(state === null ? {} : { state }), limit: limitOf(query, 50) }))
    },
  },
  { method: 'GET', path: '/sms-trunks', answer: (services) => textsOf(services).trunks() },
  {
    method: 'GET',
    path: '/sms-stop-list',
    deed: 'stoplist.list',
    answer: (services, { deed }) => listed(deed, textsOf(services).stopList.list()),
  },
  {
    method: 'POST',
    path: '/sms-stop-list/:number',
    deed: 'stoplist.add',
    answer: (services, { params: { number = '' }, deed }) => textsOf(services).stopList.add(number, () => deed.record(maskNumber(number))),
  },
  {
    method: 'DELETE',
    path: '/sms-stop-list/:number',
    deed: 'stoplist.remove',
    async answer(services, { params: { number = '' }, deed }) {
      if (await textsOf(services).stopList.remove(number, () => deed.record(maskNumber(number)))) return { removed: number }
      throw new ApiError('not_found', `${number} is not on the list.`)
    },
  },
  {
    method: 'GET',
    path: '/sms/:id',
    deed: 'sms.read',
    answer(services, { params: { id = '' }, deed }) {
      const text = textsOf(services).show(id)
      deed.about(text.messageId)
      return text
    },
  },
]
