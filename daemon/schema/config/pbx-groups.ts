/** The section `ringGroups` of the configuration. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice, Id, NumberText, strict } from './forms.ts'
import { notifyMissed } from './notify.ts'

const RingGroupSchema = strict(
  {
    id: Id('Name of the group in destinations: group:ID.'),
    name: Type.String({ default: '', maxLength: 100, description: 'Name for people.' }),
    members: Type.Array(
      Type.Union([
        Type.String({ pattern: '^\\d{2,6}$', description: 'The number of an extension.' }),
        strict(
          {
            extension: Type.String({ pattern: '^\\d{2,6}$', description: 'The number of an extension.' }),
            delaySeconds: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 120,
                description: 'With strategy all: how long the others ring before this member does.',
              }),
            ),
          },
          'A member with more to say of it.',
        ),
        strict(
          {
            external: NumberText('A number outside. Who answers must press 1 to have the call, so that no machine there takes it.'),
            delaySeconds: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 120,
                description: 'With strategy all: how long the others ring before this member does.',
              }),
            ),
          },
          'A member outside.',
        ),
      ]),
      { minItems: 1, maxItems: 50, description: 'The members, in this order.' },
    ),
    strategy: Choice(['all', 'in-order', 'rotating'], {
      default: 'all',
      description: 'all: at once. in-order: one after the other. rotating: the same, each call beginning with the next member.',
    }),
    ringSeconds: Type.Integer({
      default: 20,
      minimum: 5,
      maximum: 300,
      description: 'How long the group rings; with in-order and rotating, how long each member does.',
    }),
    whisper: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Spoken to the member of the house who answers, such as "front desk".',
        examples: ['front desk'],
      }),
    ),
    notifyMissed,
    onNoAnswer: Type.Optional(Type.String({ minLength: 1, description: 'Where an unanswered call goes.' })),
  },
  'Phones that ring together for one call.',
)

export const RingGroupsSchema = Type.Array(RingGroupSchema, {
  default: [],
  description: 'Ring groups: several phones for one call; the first member who answers has it.',
  examples: [[{ id: 'front', name: 'Front desk', members: ['101', '102'], strategy: 'all', ringSeconds: 20, onNoAnswer: '103' }]],
})

export type RingGroupConfig = Static<typeof RingGroupSchema>
export type RingGroupMember = RingGroupConfig['members'][number]

/** A member in its long form: an extension of the house, or a number outside as it is written. */
export function memberOf(member: RingGroupMember): { readonly number: string; readonly outside: boolean; readonly delaySeconds: number } {
  if (typeof member === 'string') return { number: member, outside: false, delaySeconds: 0 }
  const { delaySeconds = 0 } = member
  return 'external' in member
    ? { number: member.external, outside: true, delaySeconds }
    : { number: member.extension, outside: false, delaySeconds }
}
