/** The hours of the house as they are shown, and how they are opened and closed by hand. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema } from './voice-call.ts'

export const HoursStateSchema = named(
  'HoursState',
  Type.Object({
    id: Type.String(),
    open: Type.Boolean(),
    until: { ...NullableTimeSchema, description: 'When that changes; null where it does not within a year.' },
    destination: Type.String({ description: 'Where calls go now.' }),
    special: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'Times of this very date, in place of those of the week; null where it has none.',
    }),
    override: Type.Union([Choice(['open', 'closed']), Type.Null()], { description: 'Set by hand; null where the calendar decides.' }),
    overrideUntil: { ...NullableTimeSchema, description: 'When the calendar decides again; null where somebody must take it back.' },
  }),
)
export type HoursView = View<typeof HoursStateSchema>

export const HoursChangeSchema = named(
  'HoursChange',
  Type.Object(
    {
      state: Choice(['open', 'closed', 'auto'], { description: 'auto: the calendar decides.' }),
      until: Type.Optional(
        Type.String({
          maxLength: 40,
          description: '18:00, today or else tomorrow, or 2026-12-24T18:00, by the clock of the site; without it until it is taken back.',
        }),
      ),
    },
    { additionalProperties: false, examples: [{ state: 'closed', until: '18:00' }] },
  ),
)
export type HoursChange = View<typeof HoursChangeSchema>
