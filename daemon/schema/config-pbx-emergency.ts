/** The section `emergency` of the configuration. */
import { Type } from '@sinclair/typebox'
import { NumberText, strict } from './config-forms.ts'

export const EmergencySchema = strict(
  {
    numbers: Type.Array(Type.String({ pattern: '^\\d{2,6}$' }), {
      default: [],
      maxItems: 20,
      description: 'Further emergency numbers of the place. Those of site.country, 112 and 911 are always such.',
    }),
    trunks: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      uniqueItems: true,
      description: 'Trunks for calls for help, tried in this order, and then all others.',
    }),
    callerId: Type.Optional(NumberText('The number at which the centre reaches the site; site.number by default.')),
    location: Type.String({ default: '', maxLength: 200, description: 'Where the site is, for those who are told of a call for help.' }),
  },
  'Calls for help: from every extension, before any rule.',
)
