/** What a screen on the wall shows: counts and waits, of nobody. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { TimeSchema } from './voice-call.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const WallCodeSchema = named(
  'WallCode',
  Type.Object({ code: Type.String({ description: 'For one screen; shown this one time.' }), url: Type.String(), until: TimeSchema }),
)

export const WallSessionRequestSchema = named(
  'WallSessionRequest',
  Type.Object({ code: Type.String({ minLength: 1, maxLength: 32 }) }, { additionalProperties: false, examples: [{ code: 'H7QK-2MZD' }] }),
)

export const WallSchema = named(
  'Wall',
  Type.Object({
    asOf: TimeSchema,
    endsAt: { ...TimeSchema, description: 'When the screen needs another code.' },
    queues: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Of the queue, without digits.' }),
        waiting: Count('Callers who wait.'),
        longestSeconds: Count('How long the first of them has waited.'),
        level: Choice(['ok', 'amber', 'red'], { description: 'By console.waitSeconds, and twice that.' }),
        members: Type.Object({
          free: Count('Members who could take a call now.'),
          talking: Count('Members who talk, ring or write something down.'),
          paused: Count('Members who pause.'),
          away: Count('Members who are logged out, have no phone or are not to be disturbed.'),
        }),
        empty: Type.Boolean({ description: 'No member is there: callers go elsewhere.' }),
        today: Type.Object({
          offered: Count('Callers.'),
          answered: Count('Callers who were answered.'),
          abandoned: Count('Callers who left.'),
          waitP50Seconds: Type.Union([Type.Integer(), Type.Null()]),
          waitP95Seconds: Type.Union([Type.Integer(), Type.Null()]),
        }),
      }),
    ),
  }),
)
export type WallView = View<typeof WallSchema>
