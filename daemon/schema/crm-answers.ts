/**
 * What is read of the answers of a CRM: one description, by which the client reads, `pbx crm check` judges, and the page and the OpenAPI
 * document are written. Other members are ignored. Ids may be whole numbers, as databases give them: they are read as their digits.
 */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { MatchTypeSchema, partyFields } from './crm.ts'
import { needed } from './read-answer.ts'
import { TimeSchema } from './voice-call.ts'

const key = (maxLength: number, description: string) =>
  Type.Unsafe<string>({ type: ['string', 'integer'], minLength: 1, maxLength, description })
const text = (maxLength: number, description: string) => Type.String({ maxLength, description })

const IdSchema = needed(
  Type.Unsafe<string>({
    type: ['string', 'integer'],
    minLength: 1,
    maxLength: 128,
    pattern: '^[ -.0-~]+$',
    description: 'Printable ASCII without a slash; a whole number is read as its digits.',
  }),
)
const NameSchema = needed(Type.String({ minLength: 1, maxLength: 200 }))

const customerFields = {
  ...partyFields,
  id: IdSchema,
  name: NameSchema,
  externalRef: Type.Optional(key(128, 'Number in other software, such as the medical record.')),
  ownerUserId: Type.Optional(key(128, 'Responsible user of the CRM.')),
}

/** A customer as the CRM has them. */
export const CrmPartySchema = Type.Object({
  ...customerFields,
  version: needed(key(128, 'Another one with every change.')),
  updatedAt: needed(TimeSchema),
  deleted: Type.Optional(Type.Boolean()),
  mergedInto: Type.Optional(key(128, 'Id of the customer who gets their calls from now on.')),
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

const match = {
  found: Type.Boolean({ description: 'Whether anybody has the number.' }),
  matchType: Type.Optional(MatchTypeSchema),
  matchCount: Type.Optional(Type.Integer({ minimum: 0 })),
}

export const LookupAnswerSchema = Type.Object({
  ...match,
  customer: Type.Optional(
    Type.Union([
      Type.Object({
        id: IdSchema,
        name: NameSchema,
        status: Type.Optional(Type.String({ maxLength: 64 })),
        url: Type.Optional(Type.String({ maxLength: 2000 })),
      }),
      Type.Null(),
    ]),
  ),
  candidates: Type.Optional(Type.Array(Type.Object({ id: IdSchema, name: NameSchema }), { description: 'Where it is ambiguous.' })),
})
export type LookupAnswer = Static<typeof LookupAnswerSchema>

const TicketSchema = Type.Object({
  id: key(128, 'As the CRM calls it.'),
  title: needed(text(500, 'In words.')),
  status: Type.String({ maxLength: 64 }),
  priority: Type.Optional(Choice(['low', 'normal', 'high', 'urgent'])),
  openedAt: text(64, 'A time.'),
  url: Type.Optional(text(2000, 'Page in the CRM.')),
})
const CommitmentSchema = Type.Object({
  id: key(128, 'As the CRM calls it.'),
  kind: Choice(['appointment', 'callback', 'task', 'payment']),
  title: needed(text(500, 'In words.')),
  dueAt: text(64, 'A time.'),
  assignedTo: Type.Optional(text(200, 'Responsible person.')),
  status: Choice(['open', 'done', 'overdue']),
  url: Type.Optional(text(2000, 'Page in the CRM.')),
})
const money = needed(Type.Integer({ description: 'In minor units, such as cents.' }))
/** Half of what somebody owes misleads: it is there whole, or not at all. */
const BillingSchema = Type.Object({
  currency: needed(Type.String({ maxLength: 8, description: 'ISO 4217.' })),
  balanceMinor: money,
  overdueMinor: money,
  standing: needed(Choice(['current', 'overdue', 'none'])),
  lastPaymentAt: Type.Optional(text(64, 'A time.')),
  lastPaymentMinor: Type.Optional(Type.Integer()),
})

export const CardAnswerSchema = Type.Object({
  ...match,
  customer: Type.Optional(
    Type.Union([
      Type.Object({
        ...customerFields,
        version: Type.Optional(key(128, 'Another one with every change.')),
        updatedAt: Type.Optional(TimeSchema),
      }),
      Type.Null(),
    ]),
  ),
  name: Type.Optional(text(200, 'Name that phones show. Default: the customer’s name.')),
  status: Type.Optional(Type.String({ maxLength: 64 })),
  openTickets: Type.Optional(Type.Array(TicketSchema, { maxItems: 10 })),
  commitments: Type.Optional(Type.Array(CommitmentSchema, { maxItems: 10, description: 'Soonest first.' })),
  billing: Type.Optional(Type.Union([BillingSchema, Type.Null()])),
  alerts: Type.Optional(
    Type.Array(Type.Object({ level: Choice(['info', 'warn', 'stop'], { default: 'warn' }), text: needed(text(500, 'In words.')) }), {
      maxItems: 10,
    }),
  ),
  links: Type.Optional(
    Type.Array(Type.Object({ label: needed(text(200, 'In words.')), url: needed(text(2000, 'Where it leads.')) }), { maxItems: 10 }),
  ),
})
/** As it was read: what was not as agreed is not there. */
export type CardAnswer = Static<typeof CardAnswerSchema>

/** One page of customers; each of them is looked at by itself. */
export const CrmPageSchema = Type.Object({
  customers: needed(Type.Array(Type.Unknown(), { maxItems: 500, description: 'Each as in the answer of party.' })),
  nextCursor: needed(
    Type.Union([Type.String({ minLength: 1, maxLength: 1024 }), Type.Null()], { description: 'null: this is the last page.' }),
  ),
  total: Type.Optional(Type.Integer({ minimum: 0 })),
})

export const CrmCustomerSchema = Type.Object({ customer: needed(CrmPartySchema) })

export const CrmProposalSchema = Type.Object({
  customer: Type.Optional({ ...CrmPartySchema, description: 'The customer now; without it the box asks.' }),
})

export const CrmUserSchema = Type.Object({ userId: needed(key(128, 'User of the CRM.')), name: needed(text(200, 'Of the user.')) })

export const LogAnswerSchema = Type.Object({
  crmLogId: Type.Optional(key(128, 'Id of the entry in the CRM; the record shows it.')),
})
export type LogAnswer = Static<typeof LogAnswerSchema>
