/** The extensions of the house as they are shown, and what may be set of them. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'

/** Where a call would go, and why. */
export const WhereStepSchema = named(
  'WhereStep',
  Type.Object({ depth: Type.Integer({ minimum: 0, description: 'A step below another one follows from it.' }), text: Type.String() }),
)
export type WhereStep = View<typeof WhereStepSchema>

const forward = (when: string) =>
  Type.Union([Type.String({ pattern: '^\\+?\\d{2,20}$' }), Type.Null()], {
    description: `Where calls go ${when}, as it was dialled; null for nowhere.`,
  })

const settings = {
  doNotDisturb: Type.Boolean({ description: 'The phones do not ring; callers find them busy.' }),
  forwardAll: forward('before any phone rings'),
  forwardBusy: forward('that find it busy'),
  forwardNoAnswer: forward('that nobody answers'),
}

export const ExtensionSchema = named(
  'Extension',
  Type.Object({
    number: Type.String(),
    name: Type.String(),
    state: Type.String({ description: 'registered, not registered, ...' }),
    talking: Type.Boolean({ description: 'A phone of it calls somebody or talks.' }),
    ...settings,
  }),
)
export type ExtensionView = View<typeof ExtensionSchema>

export const ExtensionChangeSchema = named(
  'ExtensionChange',
  Type.Partial(Type.Object(settings), {
    additionalProperties: false,
    minProperties: 1,
    description: 'What its people set at their phones, by feature codes; what is left out stays.',
    examples: [{ doNotDisturb: true }],
  }),
)
export type ExtensionChange = View<typeof ExtensionChangeSchema>
