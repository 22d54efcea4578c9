/** The section `hours` of the configuration: where calls go while the clinic is open, and while it is not. */
import { Type, type Static } from '@sinclair/typebox'
import { Id, strict } from './forms.ts'

export const HoursSchema = strict(
  {
    id: Id('Name in destinations: hours:ID.'),
    open: Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
      default: {},
      description:
        'Times of the day by days: mon, tue, wed, thu, fri, sat, sun, or several as mon-fri. Local time of site.timeZone; 22:00-06:00 ends on the next day, 00:00-24:00 is the whole day. A day that is not named is closed.',
    }),
    closedOn: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Dates that are closed all day; several days as first and last date, such as 2026-12-24/2026-12-26.',
    }),
    special: Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
      default: {},
      description:
        'Other times for a date, or none for closed all day. They replace open and come before closedOn. Several days as first and last date.',
      examples: [{ '2026-12-24': ['08:30-12:00'], '2026-12-25': [] }],
    }),
    whenOpen: Type.String({ minLength: 1, description: 'Where calls go while it is open.' }),
    whenClosed: Type.String({ minLength: 1, description: 'Where calls go while it is closed.' }),
  },
  'Opening times.',
)

export type HoursConfig = Static<typeof HoursSchema>
