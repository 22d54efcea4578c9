/** The section `numbers` of the configuration: where the box may call, text and fax, beyond the ordinary numbers of its country. */
import { Type } from '@sinclair/typebox'
import { strict } from './forms.ts'

const Pattern = Type.String({ minLength: 2, maxLength: 32 })

export const NumbersSchema = strict(
  {
    international: Type.Array(Pattern, {
      default: [],
      description:
        'Other countries whose ordinary numbers may be reached: GB, a beginning such as +4930*, or one number. Premium-rate numbers and the like stay closed.',
    }),
    allow: Type.Array(Pattern, {
      default: [],
      description:
        'Numbers that may be reached whatever they cost: +19005551234, a beginning such as +44300*, a short number such as 611, a code such as *67.',
    }),
    deny: Type.Array(Pattern, {
      default: [],
      description: 'Numbers that are never reached; wins over everything. A number, a beginning, or a country.',
    }),
  },
  'Where programs may call, text and fax. Without it: fixed, mobile, toll-free and VoIP numbers of site.country.',
)
