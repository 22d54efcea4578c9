/** What a person does with a call of the house from a page: take, move and end it. */
import { Type } from '@sinclair/typebox'
import { named } from './named.ts'

export const TakeCallSchema = named(
  'TakeCallRequest',
  Type.Object(
    {
      extension: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 16,
          description: 'Whose phone rings, and then has the call. By default the own one of the person.',
        }),
      ),
    },
    { additionalProperties: false, examples: [{ extension: '101' }] },
  ),
)

export const MoveCallSchema = named(
  'MoveCallRequest',
  Type.Object(
    {
      to: Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'An extension or a number, as the phone that leaves would dial it, or a destination: voicemail:EXT, queue:ID, group:ID, menu:ID, hours:ID.',
      }),
    },
    { additionalProperties: false, examples: [{ to: '103' }] },
  ),
)
