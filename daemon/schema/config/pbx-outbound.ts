/** Calls to the outside: the section `outbound` of the configuration, and who may place which. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice, strict } from './forms.ts'

/** From the narrowest to the widest: each includes those before it. */
export const classesOfService = ['internal', 'local', 'national', 'international'] as const
export type ClassOfService = (typeof classesOfService)[number]

export const ClassOfServiceSchema = (description: string) => Choice(classesOfService, { default: 'national', description })

const OutboundRuleSchema = strict(
  {
    to: Type.String({
      default: '*',
      pattern: '^(\\*|\\+?[0-9][0-9 ().\\-/]*\\*?)$',
      description: 'The number: +15550001000, a beginning such as +1*, or * for any.',
    }),
    class: Type.Optional(
      Choice(classesOfService, {
        description: 'Only for callers of this class of service or a wider one. Default: for all.',
      }),
    ),
    trunks: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: 'Trunks, tried in this order: the next one if a trunk is full, down or fails.',
    }),
  },
  'Through which trunks numbers are called; the first rule that fits decides.',
)

export const OutboundSchema = Type.Array(OutboundRuleSchema, {
  default: [],
  description: 'Calls to the outside. The first matching rule decides. Phones reach outside numbers only by a rule.',
  examples: [[{ to: '+1*', trunks: ['main', 'backup'] }]],
})

export type OutboundRule = Static<typeof OutboundRuleSchema>
