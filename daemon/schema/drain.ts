/** A box that takes no new calls, so that it can be upgraded or switched off without cutting one. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'

export const DrainSchema = named(
  'Drain',
  Type.Object(
    {
      draining: Type.Boolean(),
      since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'When the calls that are still there are ended; null: they end by themselves.',
      }),
      calls: Type.Integer({ minimum: 0, description: 'Calls that go on.' }),
      waiting: Type.Integer({ minimum: 0, description: 'Calls that were accepted and wait to be dialled.' }),
    },
    { description: 'Whether the box takes new calls.' },
  ),
)
export type DrainView = View<typeof DrainSchema>

export const DrainRequestSchema = named(
  'DrainRequest',
  Type.Object(
    {
      seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 86_400, description: 'How long calls may go on; 0 ends them at once. Default: to their end.' }),
      ),
    },
    { additionalProperties: false, examples: [{ seconds: 3600 }] },
  ),
)
