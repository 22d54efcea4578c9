/** Where a call would go, and why. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'

export const WhereStepSchema = named(
  'WhereStep',
  Type.Object({ depth: Type.Integer({ minimum: 0, description: 'A step below another one follows from it.' }), text: Type.String() }),
)
export type WhereStep = View<typeof WhereStepSchema>
