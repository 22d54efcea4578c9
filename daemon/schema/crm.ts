/** Records of the directory, as the CRM contract has them: parties, look-ups, cards. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { CallOutcomeSchema, HistoryDirectionSchema, NoteSchema } from './history.ts'
import { named, type View } from './named.ts'
import { CallIdSchema, TimeSchema } from './voice-call.ts'

/** Printable ASCII: it is a key, and part of a path. */
const IdSchema = Type.String({ minLength: 1, maxLength: 128, pattern: '^[ -.0-~]+$' })
const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))

export const PartyPhoneSchema = Type.Object({
  number: Type.String({ minLength: 1, maxLength: 200, description: 'E.164; in requests also as people write it.' }),
  label: Choice(['mobile', 'home', 'work', 'fax', 'other'], { default: 'other' }),
  primary: Type.Optional(Type.Boolean()),
  extension: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,11}$', description: 'Behind the number, such as 101 of 555-123-4567 x101; no part of the match.' }),
  ),
})

export const partyFields = {
  id: IdSchema,
  kind: Choice(['person', 'organization'], { default: 'person' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  status: Choice(['active', 'inactive', 'prospect', 'blocked'], { default: 'active' }),
  phones: Type.Array(PartyPhoneSchema, { maxItems: 20, default: [] }),
  email: text(320, 'Address for mail.'),
  company: text(200, 'Where they work.'),
  externalRef: text(128, 'Number in other software, such as the medical record.'),
  ownerUserId: text(128, 'Responsible user of the CRM.'),
  ownerExtension: text(16, 'Extension of the responsible user.'),
  language: text(35, 'BCP 47.'),
  timeZone: text(64, 'IANA.'),
  url: text(2000, 'Page in the CRM.'),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 })),
  doNotCall: Type.Optional(Type.Boolean()),
  doNotText: Type.Optional(Type.Boolean()),
}

export const PartySchema = named(
  'Party',
  Type.Object({
    ...partyFields,
    version: Type.String({ description: 'Version of the record’s owner, opaque.' }),
    updatedAt: TimeSchema,
    source: Choice(['crm', 'local', 'import']),
  }),
)
export type PartyView = View<typeof PartySchema>

/** As it is given in an import: what is left out is as usual. */
export const PartyInputSchema = Type.Object({
  ...partyFields,
  version: Type.String({ maxLength: 128, default: '' }),
  updatedAt: Type.Optional(TimeSchema),
})
export type PartyInput = Static<typeof PartyInputSchema>

export const PartyListSchema = named(
  'PartyList',
  Type.Object({
    items: Type.Array(PartySchema, { description: 'By name.' }),
    more: Type.Boolean({ description: 'There are more that fit; these are some of them.' }),
    total: Type.Integer({ description: 'Parties in the directory.' }),
  }),
)
export type PartyListView = View<typeof PartyListSchema>

export const MatchTypeSchema = Choice(['exact', 'suffix', 'ambiguous', 'none'], {
  description:
    'suffix: the last digits fit a number that is stored without a country: probably. ambiguous: several parties have the number, and none is meant.',
})

export const lookupFields = {
  number: Type.String({ description: 'E.164 where it can be, else digits as given.' }),
  found: Type.Boolean(),
  matchType: MatchTypeSchema,
  matchCount: Type.Integer(),
  candidates: Type.Optional(
    Type.Array(Type.Object({ id: IdSchema, name: Type.String() }), { description: 'Where it is ambiguous, the first five.' }),
  ),
  source: Choice(['crm', 'local', 'none'], { description: 'local: the directory of this box.' }),
  stale: Type.Boolean({ description: 'The CRM was not reached: it may know better.' }),
  asOf: TimeSchema,
  lookupMs: Type.Integer(),
}

export const LookupSchema = named(
  'Lookup',
  Type.Object({
    ...lookupFields,
    customer: Type.Union([
      Type.Object({ id: IdSchema, name: Type.String(), status: Type.String(), url: Type.Optional(Type.String()) }),
      Type.Null(),
    ]),
  }),
)
export type LookupView = View<typeof LookupSchema>

const CallSummarySchema = Type.Object({
  callId: CallIdSchema,
  direction: HistoryDirectionSchema,
  outcome: CallOutcomeSchema,
  startedAt: TimeSchema,
  talkSeconds: Type.Integer(),
  extension: Type.Optional(Type.String()),
})
export type CallSummary = View<typeof CallSummarySchema>

const customer = Type.Union([PartySchema, Type.Null()])

export const EnhancedLookupSchema = named(
  'EnhancedLookup',
  Type.Object({
    ...lookupFields,
    customer,
    recentCalls: Type.Array(CallSummarySchema, { description: 'The last five, newest first.' }),
    openTicketCount: Type.Optional(Type.Integer({ description: 'On the card of the CRM, or on the last one of the last 24 hours.' })),
    notes: Type.Array(NoteSchema, { description: 'The last three of these calls, newest first.' }),
    lastInteractionAt: Type.Optional(TimeSchema),
    assignedUser: Type.Optional(
      Type.Object({ userId: Type.Optional(Type.String()), name: Type.Optional(Type.String()), extension: Type.Optional(Type.String()) }),
    ),
  }),
)
export type EnhancedLookupView = View<typeof EnhancedLookupSchema>

/** As the CRM has it: what it left out, or answered otherwise than agreed, is not there. */
const TicketSchema = Type.Object({
  id: Type.Optional(Type.String()),
  title: Type.String(),
  status: Type.Optional(Type.String()),
  priority: Type.Optional(Choice(['low', 'normal', 'high', 'urgent'])),
  openedAt: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
})
const CommitmentSchema = Type.Object({
  id: Type.Optional(Type.String()),
  kind: Type.Optional(Choice(['appointment', 'callback', 'task', 'payment'])),
  title: Type.String(),
  dueAt: Type.Optional(Type.String()),
  assignedTo: Type.Optional(Type.String()),
  status: Type.Optional(Choice(['open', 'done', 'overdue'])),
  url: Type.Optional(Type.String()),
})
const BillingSchema = Type.Object({
  currency: Type.String({ description: 'ISO 4217.' }),
  balanceMinor: Type.Integer(),
  overdueMinor: Type.Integer(),
  standing: Choice(['current', 'overdue', 'none']),
  lastPaymentAt: Type.Optional(Type.String()),
  lastPaymentMinor: Type.Optional(Type.Integer()),
})

/** What only the CRM knows; of a card that was kept it is shown for 24 hours. */
const affairs = {
  openTickets: Type.Array(TicketSchema, { maxItems: 10 }),
  commitments: Type.Array(CommitmentSchema, { maxItems: 10, description: 'Soonest first.' }),
  billing: Type.Union([BillingSchema, Type.Null()]),
  alerts: Type.Optional(
    Type.Array(Type.Object({ level: Choice(['info', 'warn', 'stop']), text: Type.String({ maxLength: 500 }) }), { maxItems: 10 }),
  ),
  links: Type.Optional(
    Type.Array(Type.Object({ label: Type.String({ maxLength: 200 }), url: Type.String({ maxLength: 2000 }) }), { maxItems: 10 }),
  ),
}

export const ScreenPopSchema = named(
  'ScreenPop',
  Type.Object({
    ...lookupFields,
    customer,
    name: Type.String({ description: '"" where nobody is known; with a question mark where it is not sure.' }),
    status: Type.String(),
    recentCalls: Type.Array(CallSummarySchema, { description: 'The last ten, newest first.' }),
    notes: Type.Array(NoteSchema, { description: 'The last three of these calls, newest first.' }),
    ...affairs,
  }),
)
export type ScreenPopView = View<typeof ScreenPopSchema>

export const TypedNameSchema = named(
  'TypedName',
  Type.Object(
    { name: Type.String({ maxLength: 200, description: 'Nothing takes back one that was typed.' }) },
    { examples: [{ name: 'Ana Ruiz' }] },
  ),
)

export const TypedNameAnswerSchema = Type.Object({
  number: Type.String(),
  customerId: Type.String(),
  name: Type.String(),
  result: Choice(['created', 'updated', 'unchanged', 'deleted', 'proposed'], {
    description: 'proposed: the CRM owns the customer, and is asked to change the name; what it answers is so.',
  }),
})
export type TypedNameView = View<typeof TypedNameAnswerSchema>

export const ProposalSchema = named(
  'ProposedName',
  Type.Object(
    {
      customerId: Type.String(),
      name: Type.String({ description: 'As the CRM has it; "" where the customer is gone.' }),
      proposed: Type.String(),
      at: TimeSchema,
    },
    { description: 'A name that a person of the house gave a customer of the CRM, which has not answered yet.' },
  ),
)
export type ProposalView = View<typeof ProposalSchema>

/** The JSON form of an import. */
export const ImportRequestSchema = Type.Object({
  customers: Type.Array(PartyInputSchema),
  mode: Type.Optional(Type.String()),
  dryRun: Type.Optional(Type.Boolean()),
})

export const ImportAnswerSchema = Type.Object({
  dryRun: Type.Boolean(),
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer({ description: 'As they were.' }),
  deleted: Type.Integer({ description: 'mode=replace: imported parties that this import does not have.' }),
  errors: Type.Array(Type.Object({ row: Type.Integer(), error: Type.String() }), {
    description: 'What was left out, a party or a part of one; the first hundred.',
  }),
  errorCount: Type.Integer({ description: 'All of them.' }),
  warnings: Type.Array(Type.Object({ row: Type.Integer(), warning: Type.String() }), {
    description: 'What was read otherwise than it was written, and what is not read; the first hundred.',
  }),
  warningCount: Type.Integer({ description: 'All of them.' }),
})
export type ImportAnswer = Static<typeof ImportAnswerSchema>
