/**
 * The requests of the box to the CRM at `{crm.baseUrl}/api/pbx/...`, as its client: each with its path, its query, its body, and what is
 * read of the answer. The client takes these types and nothing else, and tests hold what is really sent against the schemas.
 */
import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import {
  CardAnswerSchema,
  CrmCustomerSchema,
  crmPartyExample,
  CrmPageSchema,
  CrmProposalSchema,
  CrmUserSchema,
  LogAnswerSchema,
  LookupAnswerSchema,
} from './crm-answers.ts'
import { PartySchema, ScreenPopSchema } from './crm.ts'
import { CallRecordSchema, NoteSchema } from './history.ts'
import { named, type View } from './named.ts'
import { TimeSchema } from './voice-call.ts'

/** What `GET /api/pbx/events` reports of calls as it happens (text/event-stream). */
const crmEventNames = ['call.ringing', 'call.card', 'call.answered', 'call.ended'] as const
export type CrmEventName = (typeof crmEventNames)[number]

/** `data` of each event but `stream.gap`, whose data is {}. */
export const CallEventDataSchema = Type.Object(
  {
    call: CallRecordSchema,
    extensions: Type.Array(Type.String(), { description: 'Phones of the house that ring, or that had a part in it.' }),
    card: Type.Optional({ ...ScreenPopSchema, description: 'Of call.ringing of a call that came in, and of call.card: who calls.' }),
  },
  {
    additionalProperties: false,
    description: `The data of an event of GET /api/pbx/events: ${crmEventNames.join(', ')}.`,
  },
)
export type CallEventData = View<typeof CallEventDataSchema>

export interface CrmRequestSpec {
  readonly method: 'GET' | 'PATCH' | 'POST'
  /** Behind `{crm.baseUrl}/api/pbx/`. */
  readonly path: string
  readonly when: string
  readonly query?: TObject
  readonly body?: TSchema
  /** What is read of a 2xx; where it is left out, nothing is. What does not fit is left out, and named. */
  readonly answer?: TSchema
  /** Its repetitions have the same `Idempotency-Key`, which is made so. */
  readonly key?: string
  readonly example: {
    readonly params: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string>>
    readonly body?: unknown
    readonly answer?: unknown
  }
}

const AboutSchema = Type.Object({
  callId: Type.Optional(Type.String({ description: 'The call that the question is about.' })),
  extension: Type.Optional(Type.String({ description: 'The phone that rings.' })),
  did: Type.Optional(Type.String({ description: 'Number of the house that was called.' })),
  direction: Type.Optional(Type.String({ description: 'As in the record of the call.' })),
})

const PageRequestSchema = named(
  'CrmPageRequest',
  Type.Object({
    cursor: Type.Union([Type.String(), Type.Null()], { description: 'nextCursor of the page before; null for the first.' }),
    limit: Type.Integer({ minimum: 1, description: 'At most so many customers.' }),
    changedSince: Type.Optional({
      ...TimeSchema,
      description: 'Only customers that changed since then, by the clock of the CRM. Default: all.',
    }),
  }),
)

const callId = 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8'
const live = {
  callId,
  rev: 3,
  direction: 'inbound',
  state: 'answered',
  from: '+15551234567',
  to: '+15550001000',
  callerName: 'Ana Ruiz',
  customerId: 'c_8812',
  matchType: 'exact',
  trunkId: 'main',
  did: '+15550001000',
  extension: '101',
  startedAt: '2026-03-02T14:05:10Z',
  answeredAt: '2026-03-02T14:05:19Z',
  ringSeconds: 9,
  steps: [],
  legs: [{ to: '101', trunkId: '', startedAt: '2026-03-02T14:05:10Z', answeredAt: '2026-03-02T14:05:19Z', endedAt: null, sipCode: 200 }],
  recordings: [],
  crmSync: 'pending',
}
const ended = {
  ...live,
  rev: 5,
  state: 'ended',
  outcome: 'answered',
  endedAt: '2026-03-02T14:08:21Z',
  talkSeconds: 182,
  hangupBy: 'caller',
  hangupCause: 16,
  sipCode: 200,
  legs: [{ ...live.legs[0]!, endedAt: '2026-03-02T14:08:21Z' }],
}
const note = {
  noteId: '019a5b3f-2b6d-7c11-9e3a-5d7f8b9c0a1b',
  callId,
  text: 'Wants Thursday instead.',
  authorExtension: '101',
  createdAt: '2026-03-02T14:09:00Z',
  origin: 'pbx',
}
const about = { callId, did: '+15550001000', direction: 'inbound' }
const found = { found: true, matchType: 'exact', matchCount: 1 } as const

export const crmRequests = {
  lookup: {
    method: 'GET',
    path: 'lookup/caller/{phoneNumber}',
    when: 'A call arrives, before any phone rings: whose number is it?',
    query: AboutSchema,
    answer: named('CrmLookupAnswer', LookupAnswerSchema),
    example: {
      params: { phoneNumber: '+15551234567' },
      query: about,
      answer: { ...found, customer: { id: 'c_8812', name: 'Ana Ruiz', status: 'active', url: 'https://crm.lan/p/8812' } },
    },
  },
  'screen-pop': {
    method: 'GET',
    path: 'screen-pop/{phoneNumber}',
    when: 'A phone rings: the card of the caller.',
    query: AboutSchema,
    answer: named('CrmCardAnswer', CardAnswerSchema),
    example: {
      params: { phoneNumber: '+15551234567' },
      query: { ...about, extension: '101' },
      answer: {
        ...found,
        customer: crmPartyExample,
        openTickets: [{ id: 'T-77', title: 'Refill request', status: 'open', openedAt: '2026-02-28T09:00:00Z' }],
        commitments: [{ id: 'A-5', kind: 'appointment', title: 'Cleaning, Dr. Lee', dueAt: '2026-03-05T15:30:00Z', status: 'open' }],
        billing: { currency: 'USD', balanceMinor: 12_500, overdueMinor: 0, standing: 'current' },
      },
    },
  },
  answer: {
    method: 'PATCH',
    path: 'calls/{callId}/answer',
    when: 'A call is answered. Not repeated: `calls/log` has it.',
    body: CallRecordSchema,
    key: '<callId>:answer:<rev>',
    example: { params: { callId }, body: live },
  },
  end: {
    method: 'PATCH',
    path: 'calls/{callId}/end',
    when: 'An answered call has ended. Not repeated: `calls/log` has it.',
    body: CallRecordSchema,
    key: '<callId>:end:<rev>',
    example: { params: { callId }, body: ended },
  },
  log: {
    method: 'POST',
    path: 'calls/log',
    when: 'A call has ended and its recording is there; again with a higher `rev` when the record changes. Repeated until the CRM accepts it.',
    body: CallRecordSchema,
    answer: named('CrmLogAnswer', LogAnswerSchema),
    key: '<callId>:log:<rev>',
    example: { params: {}, body: ended, answer: { crmLogId: 'act_90211' } },
  },
  notes: {
    method: 'POST',
    path: 'calls/{callId}/notes',
    when: 'A note was written at the box, after the log of that call. Repeated until the CRM accepts it.',
    body: named(
      'CrmNotesRequest',
      Type.Object({ notes: Type.Array(NoteSchema, { minItems: 1, description: 'The note, as it is kept here.' }) }),
    ),
    key: '<callId>:notes:<noteId>',
    example: { params: { callId }, body: { notes: [note] } },
  },
  page: {
    method: 'POST',
    path: 'sync/full',
    when: 'All customers, every night and page by page; what changed, every five minutes.',
    body: PageRequestSchema,
    answer: named('CrmPage', CrmPageSchema),
    example: { params: {}, body: { cursor: null, limit: 500 }, answer: { customers: [crmPartyExample], nextCursor: null, total: 1 } },
  },
  party: {
    method: 'POST',
    path: 'customers/{id}/sync',
    when: 'Who is this customer now? 404 `customer_unknown`: there is nobody of that id.',
    body: Type.Object({}, { description: 'No members.' }),
    answer: named('CrmCustomer', CrmCustomerSchema),
    example: { params: { id: 'c_8812' }, body: {}, answer: { customer: crmPartyExample } },
  },
  proposal: {
    method: 'POST',
    path: 'customers/{id}/sync',
    when: 'A customer of the CRM got another name at the box: the proposed customer. The answer decides. Repeated for 14 days.',
    body: PartySchema,
    answer: named('CrmProposalAnswer', CrmProposalSchema),
    key: 'an id of the proposal',
    example: {
      params: { id: 'c_8812' },
      body: { ...crmPartyExample, name: 'Ana Ruiz-Lee', source: 'crm' },
      answer: { customer: { ...crmPartyExample, name: 'Ana Ruiz-Lee', version: '78' } },
    },
  },
  extension: {
    method: 'GET',
    path: 'users/extension/{extension}',
    when: 'The user at a phone. At most once an hour.',
    answer: named('CrmUser', CrmUserSchema),
    example: { params: { extension: '101' }, answer: { userId: 'u_17', name: 'Maria Ruiz' } },
  },
  status: {
    method: 'GET',
    path: 'sync/status',
    when: 'The CRM was away: is it back? Any answer but a failure says so.',
    example: { params: {}, answer: { state: 'healthy', enabled: true } },
  },
} as const satisfies Readonly<Record<string, CrmRequestSpec>>

export type CrmRoute = keyof typeof crmRequests

type Specs = typeof crmRequests
type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type ParamsOf<P extends string> = [NamesIn<P>] extends [never] ? object : { readonly params: Readonly<Record<NamesIn<P>, string>> }
type QueryOf<S> = S extends { query: infer Q extends TSchema } ? { readonly query?: Readonly<Static<Q>> } : object
type BodyOf<S> = S extends { body: infer B extends TSchema } ? { readonly body: View<B> } : object

/** What is sent: the route, what stands in its path, its query and its body. */
export type CrmAsk<R extends CrmRoute = CrmRoute> = R extends CrmRoute
  ? { readonly route: R } & ParamsOf<Specs[R]['path']> & QueryOf<Specs[R]> & BodyOf<Specs[R]>
  : never

/** The address of a request behind `{crm.baseUrl}/api/pbx/`, escaped, with its query. */
export function crmPath(ask: CrmAsk): string {
  const { params = {}, query = {} } = ask as { readonly params?: Record<string, string>; readonly query?: Record<string, unknown> }
  const path = crmRequests[ask.route].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!))
  const given = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}
