/** `pbx token`: access tokens of the HTTP interface. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { withBody, type ControlRoute } from '../route.ts'

const Scope = Type.Union(['send', 'inbox', 'voice', 'crm', 'admin'].map((scope) => Type.Literal(scope)))
const CreateToken = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }),
    scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
    expiresInDays: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3660 })),
    endpoints: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 100, uniqueItems: true })),
    mailboxes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 1000, uniqueItems: true })),
  },
  { additionalProperties: false },
)

export const tokenRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/tokens', answer: (services) => services.tokens.list() },
  withBody({
    method: 'POST',
    path: '/tokens',
    deed: 'token.create',
    body: CreateToken,
    answer: (services, { body, deed }) => services.tokens.create(body, () => deed.record(body.name)),
  }),
  {
    method: 'DELETE',
    path: '/tokens/:name',
    deed: 'token.revoke',
    async answer(services, { params: { name = '' }, deed }) {
      if (!(await services.tokens.revoke(name, () => deed.record(name)))) {
        const fixed = services.tokens.list().some((token) => token.name === name && token.source === 'config')
        const where = fixed ? 'it comes from the configuration file (auth.tokens): remove it there' : 'see "pbx token list"'
        throw new ApiError('not_found', `No token named ${name} can be revoked: ${where}.`)
      }
      return { name, revoked: true }
    },
  },
]
