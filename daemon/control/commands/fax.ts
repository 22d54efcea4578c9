/** `pbx fax`: send a PDF, see what became of it, try again, cancel. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { limitOf, listed, withBody, type ControlRoute } from '../route.ts'
import { faxStates } from '../../schema/states.ts'
import type { ControlServices, FaxServicesView } from '../services.ts'

const Name = Type.Optional(Type.String({ maxLength: 200 }))

const SendFax = Type.Object(
  {
    to: Type.String({ minLength: 1, maxLength: 64 }),
    pdfBase64: Type.String({ minLength: 1 }),
    cover: Type.Optional(Type.Object({ to: Name, from: Name, subject: Name }, { additionalProperties: false })),
    priority: Type.Optional(Type.Union([Type.Literal('low'), Type.Literal('normal'), Type.Literal('high')])),
    portfolio: Type.Optional(Type.Union([Type.Literal('refuse'), Type.Literal('files')])),
  },
  { additionalProperties: false },
)

const states: readonly string[] = faxStates
const bodyLimit = 32 * 1024 * 1024

function faxesOf(services: ControlServices): FaxServicesView {
  if (services.faxes === undefined) throw new ApiError('no_fax_line', 'This daemon has no faxes.')
  return services.faxes
}

export const faxRoutes: readonly ControlRoute[] = [
  withBody({
    method: 'POST',
    path: '/faxes',
    deed: 'fax.send',
    body: SendFax,
    limitBytes: bodyLimit,
    answer: (services, { body, deed }) => faxesOf(services).send(body, (faxId) => deed.record(faxId)),
  }),
  {
    method: 'GET',
    path: '/faxes',
    deed: 'fax.list',
    answer(services, { query, deed }) {
      const state = query.get('state')
      if (state !== null && !states.includes(state)) {
        throw new ApiError('validation_failed', `A fax's state is one of ${states.join(', ')}.`)
      }
      return listed(deed, faxesOf(services).list({ ...(state === null ? {} : { state }), limit: limitOf(query, 50) }))
    },
  },
  {
    method: 'GET',
    path: '/faxes/:id',
    deed: 'fax.read',
    answer(services, { params: { id = '' }, deed }) {
      const fax = faxesOf(services).show(id)
      deed.about(fax.faxId)
      return fax
    },
  },
  {
    method: 'POST',
    path: '/faxes/:id/retry',
    deed: 'fax.retry',
    async answer(services, { params: { id = '' }, deed }) {
      const fax = await faxesOf(services).retry(id, (faxId) => deed.record(faxId))
      deed.about(fax.faxId)
      return fax
    },
  },
  {
    method: 'DELETE',
    path: '/faxes/:id',
    deed: 'fax.cancel',
    answer: (services, { params: { id = '' }, deed }) => faxesOf(services).cancel(id, (faxId) => deed.record(faxId)),
  },
  {
    method: 'POST',
    path: '/faxes/:id/watch',
    deed: 'fax.read',
    stream: (services, { params: { id = '' }, signal }, emit) => faxesOf(services).watch(id, emit, signal),
  },
]
