/** Access tokens of the HTTP interface: for the technician. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { NewTokenSchema, TokenMadeSchema, TokenSchema, type NewToken, type TokenView } from '../schema/tokens.ts'
import { defineRoute, type Route } from '../http/route.ts'

export interface TokenServices {
  /** `alongside`, here and below, runs in the transaction. Rejects with ApiError `validation_failed`. */
  create(token: NewToken, alongside: () => void): Promise<{ token: string; view: TokenView }>
  list(): readonly TokenView[]
  /** False when the store holds no token of that name. */
  revoke(name: string, alongside: () => void): Promise<boolean>
}

const access = 'technician'
const tag = 'Tokens'

export function tokenRoutes(tokens: TokenServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/tokens',
      access,
      people: ['technician'],
      operationId: 'listTokens',
      summary: 'Names, scopes, restrictions, last use and end',
      tag,
      responses: { 200: { description: 'Tokens; those of the configuration first.', schema: Type.Array(TokenSchema) } },
      handle: () => ({ status: 200, body: tokens.list() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/tokens',
      access,
      people: ['technician'],
      operationId: 'createToken',
      deed: 'token.create',
      summary: 'Make a token',
      tag,
      body: NewTokenSchema,
      responses: { 200: { description: 'The token.', schema: TokenMadeSchema } },
      handle: async ({ body, deed }) => ({ status: 200, body: await tokens.create(body, () => deed.record(body.name)) }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/tokens/:name',
      access,
      people: ['technician'],
      operationId: 'revokeToken',
      deed: 'token.revoke',
      summary: 'End a token',
      tag,
      params: Type.Object({ name: Type.String() }),
      responses: { 200: { description: 'Done.', schema: Type.Object({ name: Type.String(), revoked: Type.Literal(true) }) } },
      handle: async ({ params: { name }, deed }) => {
        if (!(await tokens.revoke(name, () => deed.record(name)))) {
          const fixed = tokens.list().some((token) => token.name === name && token.source === 'config')
          const where = fixed ? 'it comes from the configuration file (auth.tokens): remove it there' : 'see "pbx token list"'
          throw new ApiError('not_found', `No token named ${name} can be revoked: ${where}.`)
        }
        return { status: 200, body: { name, revoked: true } }
      },
    }),
  ]
}
