/** `pbx token`: access tokens of the HTTP interface. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { withBody, type ControlRoute } from '../route.ts'

const Scope = Type.Union(['send', 'inbox', 'voice', 'crm', 'admin'].map((scope) => Type.Literal(scope)))
const CreateToken = Type.Object(
  { name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }), scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }) },
  { additionalProperties: false },
)

export const tokenRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/tokens', answer: (services) => services.tokens.list() },
  withBody({
    method: 'POST',
    path: '/tokens',
    body: CreateToken,
    answer: (services, { body }) => services.tokens.create(body),
  }),
  {
    method: 'DELETE',
    path: '/tokens/:name',
    async answer(services, { params: { name = '' } }) {
      if (!(await services.tokens.revoke(name))) {
        const fixed = services.tokens.list().some((token) => token.name === name && token.source === 'config')
        const where = fixed ? 'it comes from the configuration file (auth.tokens): remove it there' : 'see "pbx token list"'
        throw new ApiError('not_found', `No token named ${name} can be revoked: ${where}.`)
      }
      return { name, revoked: true }
    },
  },
]
