/** Customers that the CRM sends: all of them page by page, or one. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { crmPartyExample, CrmPartySchema } from './crm-answers.ts'
import { named } from './named.ts'
import { TimeSchema } from './voice-call.ts'

export const CustomerPageSchema = named(
  'CustomerPage',
  Type.Object(
    {
      customers: Type.Optional(
        Type.Array(CrmPartySchema, { maxItems: 500, description: 'A page that is sent. Without it the box reads them from the CRM.' }),
      ),
      syncId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, description: 'The same on all pages of a list, and on no other.' }),
      ),
      cursor: Type.Optional(
        Type.Union([Type.String({ maxLength: 1024 }), Type.Null()], { description: 'Where this page ended, for the sender.' }),
      ),
      last: Type.Optional(
        Type.Boolean({ description: 'The list is whole: parties of the CRM that were on none of its pages are removed.' }),
      ),
    },
    { examples: [{ syncId: 'night-2026-03-02', customers: [crmPartyExample], cursor: null, last: true }] },
  ),
)
export type CustomerPage = Static<typeof CustomerPageSchema>

export const CustomerPageAnswerSchema = Type.Object({
  syncId: Type.String(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  deleted: Type.Integer(),
  conflicts: Type.Integer({ description: 'Another version with the same or an earlier time: the stored version stays.' }),
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: 'Each with its place: what was not understood, or is kept otherwise than it came.' }),
  ),
})

export const CustomerSchema = named(
  'Customer',
  Type.Object(Type.Partial(CrmPartySchema).properties, {
    description:
      'Nothing: the box reads the customer from the CRM. Else all of id, name, version, updatedAt. With deleted or mergedInto the party is gone; mergedInto takes its calls along.',
    examples: [crmPartyExample],
  }),
)

export const ListBegunSchema = named('CustomersAreRead', Type.Object({ syncId: Type.String(), state: Type.Literal('running') }))

export const CustomerAnswerSchema = Type.Object({
  id: Type.String(),
  result: Choice(['created', 'updated', 'unchanged', 'deleted', 'conflict']),
  version: Type.String({ description: 'The one that is kept.' }),
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: 'Each with its place: what was not understood, or is kept otherwise than it came.' }),
  ),
})
