/** The calls that have ended, polled with a cursor like the inbox, or looked through from the newest on. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { csvRoutes } from './csv-route.ts'
import type { History, HistoryQuery } from './history.ts'
import { recordOf } from './view.ts'
import { soughtNumber } from '../numbers/numbers.ts'
import type { Config } from '../schema/config.ts'
import { CallOutcomeSchema, CallRecordSchema, HistoryAnswerSchema, HistoryDirectionSchema } from '../schema/history.ts'
import { RefSchema } from '../schema/call-records.ts'
import { roles } from '../schema/people.ts'
import { TimeSchema } from '../schema/voice-call.ts'
import { finder } from '../http/find.ts'
import { callShownTo, seesMasked } from '../http/mask.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Principal, type Route } from '../http/route.ts'

const tag = 'Calls'
const mostItems = 500

const Query = Type.Object({
  phoneNumber: Type.Optional(Type.String({ maxLength: 64, description: 'Anybody with this number who had a part in the call.' })),
  extension: Type.Optional(Type.String({ maxLength: 16, description: 'Calls in which this extension had a part.' })),
  customerId: Type.Optional({ ...RefSchema, description: 'Calls of this party of the directory.' }),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Three digits and more: any part of a number that had a part in the call. Letters: a part of the name of the caller.',
    }),
  ),
  queue: Type.Optional(Type.String({ maxLength: 64, description: 'Calls that waited in this queue.' })),
  returned: Type.Optional(
    Type.Boolean({ description: 'Calls from outside that nobody took: whether the house has talked with the caller since.' }),
  ),
  direction: Type.Optional(HistoryDirectionSchema),
  outcome: Type.Optional(CallOutcomeSchema),
  from: Type.Optional({ ...TimeSchema, description: 'Begun at this time or later.' }),
  to: Type.Optional({ ...TimeSchema, description: 'Begun before this time.' }),
  since: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'nextSince of the last poll; 0 at first.' }),
  before: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'nextBefore of the last answer.' })),
  limit: Type.Integer({ minimum: 1, default: 50, description: 'More than 500 is taken as 500.' }),
  order: Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
    default: 'asc',
    description: 'asc: a feed with a cursor. desc: the newest first.',
  }),
})

export function historyRoutes(history: History, config: Config): Route[] {
  const find = finder({
    noun: 'call',
    unknown: 'call_unknown',
    list: 'pbx history',
    find: (id) => history.find(id),
    newest: (limit) => history.newest(limit),
    idOf: ({ callId }) => callId,
  })
  const oneCall = (at: Pick<Route, 'path' | 'operationId' | 'undescribed'>): Route =>
    defineRoute({
      ...at,
      method: 'GET',
      access: 'crm',
      people: roles,
      deed: 'history.list',
      polled: true,
      summary: 'One ended call, with the way it took',
      tag,
      params: Type.Object({ callId: Type.String() }),
      responses: { 200: { description: 'The call.', schema: CallRecordSchema, example } },
      handle: ({ params, token, deed }) => {
        mustBeUnrestricted(token, 'calls of the whole house')
        const row = find(params.callId, { technician: token === null })
        deed.about(row.callId)
        return { status: 200, body: callShownTo(token, history.viewWithReturn(row)) }
      },
    })
  const wantedIn = (asked: Asked): HistoryQuery => {
    const extensions = new Set(config.extensions.map(({ number }) => number))
    return wantedBy(asked, (text) => sought(text, config.site.country, extensions))
  }
  return [
    ...csvRoutes(history, { query: Query, wanted: wantedIn, timeZone: () => config.site.timeZone }),
    defineRoute({
      method: 'GET',
      path: '/api/pbx/calls/history',
      access: 'crm',
      people: roles,
      operationId: 'listCallHistory',
      deed: 'history.list',
      polled: true,
      summary: 'Ended calls',
      description:
        'In the order in which they ended. Keep nextSince and pass it as since: no call is left out and none comes twice. A technician sees numbers with their last digits alone, and cannot search by name or number.',
      tag,
      query: Query,
      responses: { 200: { description: 'Calls.', schema: HistoryAnswerSchema, example: { items: [example], nextSince: 1772460321007 } } },
      handle: async ({ query, token, deed }) => {
        mustBeUnrestricted(token, 'calls of the whole house')
        mustNotProbe(token, query)
        const { since, before, order } = query
        const limit = Math.min(query.limit, mostItems)
        const wanted = wantedIn(query)
        if (order === 'desc') {
          const { items, nextBefore } = await history.pageBack(before ?? null, limit, wanted)
          deed.about('', items.length)
          return { status: 200, body: { items: items.map((row) => callShownTo(token, history.viewWithReturn(row))), nextBefore } }
        }
        const { items, nextSince } = await history.page(since, limit, wanted)
        deed.about('', items.length)
        return { status: 200, body: { items: items.map(({ item }) => callShownTo(token, history.viewWithReturn(item))), nextSince } }
      },
    }),
    oneCall({ path: '/api/pbx/calls/:callId', operationId: 'getCallRecord' }),
    oneCall({ path: '/api/pbx/calls/history/:callId', operationId: 'getCallRecordOfHistory', undescribed: true }),
  ]
}

/** Of somebody who sees numbers masked, a search by name or number would find out the rest of them. Throws ApiError `role_denied`. */
function mustNotProbe(token: Principal | null, { q, phoneNumber, customerId }: Asked): void {
  if (seesMasked(token) && [q, phoneNumber, customerId].some((one) => one !== undefined))
    throw new ApiError(
      'role_denied',
      'A technician cannot search calls by name, number or customer. Filter by day, extension, queue or outcome.',
    )
}

/** As calls have it; as it was written, where it is no number. */
function sought(text: string, country: string, extensions: ReadonlySet<string>): string {
  const { e164, dial } = soughtNumber(text, country, extensions)
  return e164 ?? (dial === '' ? text.trim() : dial)
}

type Asked = Pick<HistoryQuery, 'extension' | 'customerId' | 'direction' | 'outcome' | 'q' | 'queue' | 'returned'> & {
  phoneNumber?: string
  from?: string
  to?: string
}

function wantedBy({ phoneNumber, from, to, ...asked }: Asked, normalised: (text: string) => string): HistoryQuery {
  const { extension, customerId, direction, outcome, q, queue, returned } = asked
  return {
    ...(q === undefined ? {} : { q }),
    ...(queue === undefined ? {} : { queue }),
    ...(returned === undefined ? {} : { returned }),
    ...(phoneNumber === undefined ? {} : { number: normalised(phoneNumber) }),
    ...(extension === undefined ? {} : { extension }),
    ...(customerId === undefined ? {} : { customerId }),
    ...(direction === undefined ? {} : { direction }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(from === undefined ? {} : { from: momentOf('from', from) }),
    ...(to === undefined ? {} : { to: momentOf('to', to) }),
  }
}

function momentOf(name: string, text: string): number {
  const at = Date.parse(text)
  if (Number.isNaN(at))
    throw new ApiError('validation_failed', `"${name}" must be a time.`, {
      details: [{ path: `/${name}`, message: 'must be a time such as 2026-03-02T14:05:00Z' }],
    })
  return at
}

const began = Date.UTC(2026, 2, 2, 14, 5, 10)
const example = recordOf({
  callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  direction: 'inbound',
  outcome: 'answered',
  from: '+15551230001',
  to: '+15550001000',
  callerName: 'ANN LEE',
  trunkId: 'main',
  extension: '102',
  endpointId: '',
  startedAt: began,
  answeredAt: began + 19_000,
  endedAt: began + 201_000,
  ringSeconds: 19,
  talkSeconds: 182,
  endedBy: 'caller',
  sipCode: 200,
  steps: [
    { at: began, to: 'menu:main', endedAt: began + 11_000, outcome: 'answered' },
    { at: began + 11_000, to: '102', endedAt: null, outcome: '' },
  ],
  legs: [{ to: '102', trunkId: '', startedAt: began + 11_000, answeredAt: began + 19_000, endedAt: began + 201_000, sipCode: 0 }],
  recordings: [],
})
