/** Between the box and the CRM: how it stands, the switch, and what waits. */
import { Type } from '@sinclair/typebox'
import { isoTime, type Clock } from '../base/clock.ts'
import type { CrmAnalytics } from './analytics.ts'
import type { Integration } from './integration.ts'
import type { Pending } from './queue/pending.ts'
import type { CrmStatus } from './status.ts'
import { ApiError } from '../base/errors.ts'
import { Choice } from '../schema/choice.ts'
import {
  AnalyticsSchema,
  IntegrationSchema,
  PendingSchema,
  SwitchSchema,
  SyncStatusSchema,
  type PendingView,
} from '../schema/crm-status.ts'
import { TimeSchema } from '../schema/voice-call.ts'
import type { CrmPendingRow } from '../store/tables.ts'
import { defineRoute, type Route, Limit, listed } from '../http/route.ts'
import type { CallEvents } from './call-events.ts'
import { CallEventDataSchema } from '../schema/crm-requests.ts'
import { named } from '../schema/named.ts'
import { mustBeUnrestricted } from '../http/reach.ts'

/** The events of calls, for programs that show them at once: a stream that a browser or a desktop program reads. */
export function callEventRoutes(events: CallEvents): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/pbx/events',
      access: 'crm',
      operationId: 'streamCallEvents',
      deed: 'call.list',
      polled: true,
      summary: 'What happens to calls, as it happens',
      description:
        'text/event-stream. call.ringing when phones of the house ring, with the card (ScreenPop) of who calls; call.card where the CRM took longer than a second for it; call.answered; call.ended. The data of each is CallEventData, among the components. Last-Event-ID goes on after that event where it was at most five minutes ago; stream.gap says that events are missing: read calls/active and calls/history. A line every 15 s keeps the connection.',
      tag: 'CRM',
      query: Type.Object({
        extension: Type.Optional(Type.String({ maxLength: 16, description: 'Events that concern this phone alone.' })),
      }),
      responses: {
        200: {
          description: 'Events, until either side closes.',
          contentType: 'text/event-stream',
          schema: Type.String({ contentMediaType: 'application/json', contentSchema: named('CallEventData', CallEventDataSchema) }),
          example:
            'event: call.ended\ndata: {"call":{"callId":"CA019a5b3c4d5e7f808192a3b4c5d6e7f8","state":"ended"},"extensions":["101"]}\nid: 1772460311007\n\n',
        },
      },
      handle: ({ query: { extension }, headers, token, signal }) => {
        mustBeUnrestricted(token, 'calls of the whole house')
        const release = events.admit(token?.name ?? '')
        const given = headers.get('last-event-id')
        // An id that was never handed out: what it would go on after is not known.
        const lastId = given === undefined ? undefined : /^\d{1,15}$/.test(given) ? Number(given) : 0
        const reading = { signal, ...(lastId === undefined ? {} : { lastId }), ...(extension === undefined ? {} : { extension }) }
        return { status: 200, events: (push) => events.read(reading, push), release }
      },
    }),
  ]
}

export interface CrmIntegrationServices {
  readonly status: CrmStatus
  readonly analytics: CrmAnalytics
  readonly clock: Clock
  readonly integration: Integration
  readonly pending: Pending
}

const tag = 'CRM'
const access = 'crm'

export function crmIntegrationRoutes({ status, analytics, clock, integration, pending }: CrmIntegrationServices): Route[] {
  const switching = (enabled: boolean) =>
    defineRoute({
      method: 'POST',
      path: `/api/pbx/integration/${enabled ? 'enable' : 'disable'}`,
      access,
      operationId: enabled ? 'enableIntegration' : 'disableIntegration',
      deed: 'crm.switch',
      summary: enabled ? 'Switch the integration on' : 'Switch the integration off',
      description: enabled
        ? 'The box asks the CRM again and sends it the waiting items. No effect if it is already enabled.'
        : 'The box sends no requests to the CRM; items for it wait and are never dropped. No effect if it is already disabled.',
      tag,
      body: SwitchSchema,
      bodyType: 'json-or-nothing',
      idempotent: true,
      responses: { 200: { description: 'As it is now.', schema: IntegrationSchema, example: { ...switched, enabled } } },
      handle: async (context) => {
        const { token, body, deed } = context
        const by = token === null ? 'technician' : `token:${token.name}`
        const reply = { status: 200, body: integration.state }
        const state = await integration.set(enabled, by, body?.reason ?? '', () => deed.record(enabled ? 'enabled' : 'disabled'))
        reply.body = state
        return reply
      },
    })
  return [
    defineRoute({
      method: 'GET',
      path: '/api/pbx/sync/status',
      access,
      people: ['manager', 'technician'],
      operationId: 'getSyncStatus',
      summary: 'How it stands between the box and the CRM',
      tag,
      responses: { 200: { description: 'The state.', schema: SyncStatusSchema, example: statusExample } },
      handle: async () => ({ status: 200, body: await status.settled() }),
    }),
    analyticsRoute(analytics, clock),
    switching(true),
    switching(false),
    ...queueRoutes(pending),
  ]
}

const Span = Type.Object({
  from: Type.Optional({ ...TimeSchema, description: 'Seven days before `to` where it is left out.' }),
  to: Type.Optional({ ...TimeSchema, description: 'Now where it is left out.' }),
  bucket: Choice(['hour', 'day'], { default: 'day' }),
})
const dayMs = 86_400_000
const mostDays = 92

function analyticsRoute(analytics: CrmAnalytics, clock: Clock): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/pbx/analytics/integration',
    access,
    operationId: 'getIntegrationAnalytics',
    summary: 'Figures of the integration',
    description: `Of at most ${mostDays} days; buckets in UTC.`,
    tag,
    query: Span,
    responses: { 200: { description: 'The figures.', schema: AnalyticsSchema, example: analyticsExample } },
    handle: async ({ query: { from, to, bucket } }) => {
      const end = to === undefined ? clock.now() : Date.parse(to)
      const begin = from === undefined ? end - 7 * dayMs : Date.parse(from)
      const fault =
        begin >= end ? 'must be before to' : end - begin > mostDays * dayMs ? `must be at most ${mostDays} days before to` : null
      if (fault !== null)
        throw new ApiError('validation_failed', 'The requested time span cannot be shown.', {
          details: [{ path: '/from', message: fault }],
        })
      return { status: 200, body: await analytics.view({ from: begin, to: end, bucket }) }
    },
  })
}

function queueRoutes(pending: Pending): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/crm/queue',
      access: 'technician',
      operationId: 'listCrmQueue',
      deed: 'crm.queue',
      polled: true,
      summary: 'Items that wait to be sent to the CRM, oldest first',
      tag,
      query: Type.Object({ state: Type.Optional(Choice(['pending', 'dead'])), limit: Limit(50) }),
      responses: { 200: { description: 'What waits.', schema: Type.Array(PendingSchema) } },
      handle: ({ query: { state, limit }, deed }) => {
        const rows: PendingView[] = []
        for (const { row } of pending.rows()) {
          const view = viewOf(row)
          if (state === undefined || view.state === state) rows.push(view)
          if (rows.length === limit) break
        }
        return listed(deed, rows)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/crm/queue/retry',
      access: 'technician',
      people: ['technician'],
      operationId: 'retryCrmQueue',
      deed: 'crm.retry',
      summary: 'Send the items that were given up to the CRM again',
      tag,
      responses: { 200: { description: 'How many are tried again.', schema: Type.Object({ retried: Type.Integer() }) } },
      handle: async ({ deed }) => {
        const retried = await pending.revive()
        deed.about('', retried)
        return { status: 200, body: { retried } }
      },
    }),
  ]
}

function viewOf(row: CrmPendingRow): PendingView {
  const { callId, noteId, endedAt, attempts, nextAt, lastStatus, lastError, deadAt } = row
  return {
    callId,
    kind: noteId === null ? 'log' : 'note',
    state: deadAt === null ? 'pending' : 'dead',
    endedAt: isoTime(endedAt),
    attempts,
    nextAt: deadAt === null ? isoTime(nextAt) : null,
    lastStatus,
    lastError,
  }
}

const analyticsExample = {
  from: '2026-02-23T00:00:00Z',
  to: '2026-03-02T00:00:00Z',
  bucket: 'day',
  uptime: {
    percent: 99.62,
    outages: [{ startedAt: '2026-02-26T03:00:00Z', endedAt: '2026-02-26T03:38:00Z', seconds: 2280, reason: 'connect-refused' }],
  },
  lookups: { total: 812, crm: 611, local: 0, notFound: 201, ambiguous: 9, timeouts: 6, p50Ms: 75, p95Ms: 300 },
  calls: {
    inbound: 640,
    outbound: 172,
    answered: 655,
    missed: 71,
    voicemail: 58,
    matchedPercent: 74.1,
    avgRingSeconds: 9,
    avgTalkSeconds: 141,
  },
  logs: { delivered: 812, pending: 0, dead: 0, p50DelaySeconds: 2, p95DelaySeconds: 3600 },
  series: [{ at: '2026-02-23T00:00:00Z', calls: 118, lookups: 118, failures: 0 }],
}
const switched = { changedAt: '2026-03-02T15:00:00Z', changedBy: 'token:emr' }
const statusExample = {
  state: 'degraded',
  enabled: true,
  crm: {
    configured: true,
    reachable: false,
    circuit: 'open',
    lastSuccessAt: '2026-03-02T13:58:40Z',
    lastFailureAt: '2026-03-02T14:05:00Z',
    lastError: 'timeout: no answer within 800 ms',
    p95Ms: 910,
    clockSkewMs: 120,
    answerFaults: {
      count: 1,
      last: { at: '2026-03-02T14:04:31Z', request: 'screen-pop', path: '/openTickets/0/openedAt', message: 'is required' },
    },
  },
  queue: { pendingLogs: 14, pendingNotes: 3, oldestPendingAt: '2026-03-02T13:59:02Z', dead: 0 },
  customers: {
    total: 4210,
    lastFullSyncAt: '2026-03-02T02:00:00Z',
    lastDeltaAt: '2026-03-02T13:55:00Z',
    conflicts: 0,
    ambiguousNumbers: 37,
  },
  currentSync: null,
}
