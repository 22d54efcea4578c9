/** The daily ceilings as they are shown. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'

export const LimitSchema = named(
  'Limit',
  Type.Object(
    {
      of: Choice(['box', 'token']),
      name: Type.String({ description: 'Of the token; "" for the box.' }),
      what: Choice(['texts', 'faxes', 'callMinutes', 'internationalMinutes'], { description: 'texts: their parts.' }),
      used: Type.Number(),
      most: Type.Number(),
    },
    { description: 'One ceiling of the box or of a token, with what was used of it today.' },
  ),
)
export type LimitView = View<typeof LimitSchema>

export const LimitResetSchema = named(
  'LimitResetRequest',
  Type.Object({ token: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }, { additionalProperties: false, examples: [{}] }),
)
