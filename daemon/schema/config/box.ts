/** The section `box` of the configuration: which of several boxes this is. */
import { Type } from '@sinclair/typebox'
import { strict } from './forms.ts'

export const boxIdPattern = '^[0-9a-f]{3}$'

export const BoxSchema = strict(
  {
    id: Type.Optional(
      Type.String({
        pattern: boxIdPattern,
        examples: ['001'],
        description:
          'Three hexadecimal digits that no other box of the fleet has. Every id that the box makes carries them as its digits 18 to 20, so a proxy finds the box of an id.',
      }),
    ),
    inbox: Type.Optional(
      Type.String({
        pattern: boxIdPattern,
        examples: ['00c'],
        description:
          'The id of the box whose inbox programs poll. Every other box answers a poll with inbox_elsewhere, except a poll that names it: ?box=001.',
      }),
    ),
  },
  'Which of several boxes this is; see docs/scale.md. A box that is alone needs none of this.',
)
