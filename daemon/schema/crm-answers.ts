/** What a CRM answers to the box, by the same contract as the box answers it. Members beside these are taken as they come. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { lookupFields, LookupSchema, partyFields } from './crm.ts'
import { CallIdSchema, TimeSchema } from './voice-call.ts'

const id = Type.String({ minLength: 1, maxLength: 128 })
const title = Type.String({ maxLength: 500 })
const money = Type.Integer({ description: 'In minor units, such as cents.' })

/** A customer as the CRM has them. */
export const CrmPartySchema = Type.Object({
  ...partyFields,
  version: Type.String({ minLength: 1, maxLength: 128, description: 'Another one with every change.' }),
  updatedAt: TimeSchema,
  deleted: Type.Optional(Type.Boolean()),
  mergedInto: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
})
export type CrmParty = Static<typeof CrmPartySchema>

export const crmPartyExample = {
  id: 'c_8812',
  kind: 'person',
  name: 'Ana Ruiz',
  status: 'active',
  phones: [{ number: '+15551234567', label: 'mobile', primary: true }],
  version: '77',
  updatedAt: '2026-03-02T13:59:10Z',
}

export const CrmLookupSchema = LookupSchema

export const CrmCardSchema = Type.Object({
  ...lookupFields,
  customer: Type.Union([CrmPartySchema, Type.Null()]),
  name: Type.String(),
  status: Type.String(),
  recentCalls: Type.Array(
    Type.Object({ callId: Type.String(), direction: Type.String(), startedAt: TimeSchema, talkSeconds: Type.Integer({ minimum: 0 }) }),
    { maxItems: 10 },
  ),
  openTickets: Type.Array(Type.Object({ id, title, status: Type.String(), openedAt: TimeSchema }), { maxItems: 10 }),
  commitments: Type.Array(
    Type.Object({
      id,
      kind: Choice(['appointment', 'callback', 'task', 'payment']),
      title,
      dueAt: TimeSchema,
      status: Choice(['open', 'done', 'overdue']),
    }),
    { maxItems: 10 },
  ),
  billing: Type.Union([
    Type.Object({
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
      balanceMinor: money,
      overdueMinor: money,
      standing: Choice(['current', 'overdue', 'none']),
    }),
    Type.Null(),
  ]),
})

export const CrmCallSchema = Type.Object({ callId: CallIdSchema, state: Choice(['dialing', 'ringing', 'answered', 'held', 'ended']) })

export const CrmLogSchema = Type.Object({
  callId: CallIdSchema,
  logged: Type.Boolean(),
  duplicate: Type.Boolean(),
  customerId: Type.Union([Type.String(), Type.Null()]),
  crmLogId: Type.Optional(Type.String()),
})

export const CrmNotesSchema = Type.Object({
  callId: CallIdSchema,
  notes: Type.Array(Type.Object({ noteId: Type.String(), text: Type.String(), createdAt: TimeSchema })),
})

/** One page of customers; each of them is looked at by itself. */
export const CrmPageSchema = Type.Object({
  customers: Type.Array(Type.Unknown(), { maxItems: 500 }),
  nextCursor: Type.Union([Type.String({ minLength: 1, maxLength: 1024 }), Type.Null()]),
  total: Type.Optional(Type.Integer({ minimum: 0 })),
})

export const CrmCustomerSchema = Type.Object({ id, version: Type.String(), customer: CrmPartySchema })

export const CrmUserSchema = Type.Object({ extension: Type.String(), userId: Type.String(), name: Type.String() })

export const CrmStatusSchema = Type.Object({
  state: Choice(['healthy', 'degraded', 'syncing', 'disabled', 'unconfigured']),
  enabled: Type.Boolean(),
})
