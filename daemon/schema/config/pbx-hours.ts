/** The section `hours` of the configuration: where calls go while the clinic is open, and while it is not. */
import { Type, type Static } from '@sinclair/typebox'
import { Id, strict } from './forms.ts'

export const HoursSchema = strict(
  {
    id: Id('Its name: calls are sent there by hours:ID.'),
    open: Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
      default: {},
      description:
        'Times of the day by days: mon, tue, wed, thu, fri, sat, sun, or several as mon-fri. Local time of site.timeZone; 22:00-06:00 ends on the next day, 00:00-24:00 is the whole day. A day that is not named is closed.',
    }),
    closedOn: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Closed all day all the same: dates, and first and last date of more days, such as 2026-12-24/2026-12-26.',
    }),
    special: Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
      default: {},
      description:
        'Other times for a date, or none for closed all day: they count in place of open, and before closedOn. Also for first and last date of more days.',
      examples: [{ '2026-12-24': ['08:30-12:00'], '2026-12-25': [] }],
    }),
    whenOpen: Type.String({ minLength: 1, description: 'Where calls go in these times.' }),
    whenClosed: Type.String({ minLength: 1, description: 'Where they go at all other times.' }),
  },
  'Opening times.',
)

export type HoursConfig = Static<typeof HoursSchema>
