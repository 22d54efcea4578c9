/** Access tokens of the HTTP interface, as a technician makes and sees them. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { scopes } from './states.ts'
import { NullableTimeSchema } from './voice-call.ts'

const names = (maxItems: number, description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems, uniqueItems: true, description }))

export const NewTokenSchema = named(
  'NewTokenRequest',
  Type.Object(
    {
      name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }),
      scopes: Type.Array(Choice(scopes), { minItems: 1, uniqueItems: true }),
      expiresInDays: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3660 })),
      endpoints: names(100, 'Voice endpoints whose calls it reaches; with this or mailboxes, it reaches these alone.'),
      mailboxes: names(1000, 'Mailboxes whose voicemail it reaches.'),
    },
    { additionalProperties: false, examples: [{ name: 'booking-system', scopes: ['send', 'voice'] }] },
  ),
)
export type NewToken = View<typeof NewTokenSchema>

const restriction = Type.Union([Type.Array(Type.String()), Type.Null()])

export const TokenSchema = named(
  'Token',
  Type.Object({
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    createdAt: NullableTimeSchema,
    source: Choice(['config', 'store']),
    endpoints: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'Voice endpoints it is restricted to; null, as mailboxes, for one that is not.',
    }),
    mailboxes: restriction,
    expiresAt: NullableTimeSchema,
    lastUsedAt: NullableTimeSchema,
    lastAddress: Type.String({ description: 'Where the last request came from; "" before the first.' }),
  }),
)
export type TokenView = View<typeof TokenSchema>

export const TokenMadeSchema = Type.Object({
  token: Type.String({ description: 'Shown this one time: only its SHA-256 is kept.' }),
  view: TokenSchema,
})
