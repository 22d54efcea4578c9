/** How it stands between the box and the CRM. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const SyncStatusSchema = named(
  'SyncStatus',
  Type.Object({
    state: Choice(['healthy', 'degraded', 'syncing', 'disabled', 'unconfigured'], {
      description: 'degraded: the CRM is away and not asked, or records wait for it for more than 5 minutes.',
    }),
    enabled: Type.Boolean(),
    crm: Type.Object({
      configured: Type.Boolean(),
      reachable: Type.Boolean({ description: 'It answered the last request.' }),
      circuit: Choice(['closed', 'open', 'half-open']),
      lastSuccessAt: NullableTimeSchema,
      lastFailureAt: NullableTimeSchema,
      lastError: Type.Union([Type.String(), Type.Null()]),
      p95Ms: Type.Union([Type.Integer(), Type.Null()], { description: 'Of the last hundred answers.' }),
      clockSkewMs: Type.Union([Type.Integer(), Type.Null()], { description: 'How far its clock is ahead of ours.' }),
      answerFaults: Type.Object(
        {
          count: Type.Integer(),
          last: Type.Union([
            Type.Object({
              at: TimeSchema,
              request: Type.String({ description: 'As docs/crm-requests.md names it.' }),
              path: Type.String({ description: 'JSON pointer into the answer.' }),
              message: Type.String(),
            }),
            Type.Null(),
          ]),
        },
        { description: 'Members of its answers that were not as agreed, and so were left out, since the start.' },
      ),
    }),
    queue: Type.Object({
      pendingLogs: Type.Integer(),
      pendingNotes: Type.Integer(),
      oldestPendingAt: NullableTimeSchema,
      dead: Type.Integer({ description: 'Given up; pbx crm retry --dead tries them again.' }),
    }),
    customers: Type.Object({
      total: Type.Integer(),
      lastFullSyncAt: NullableTimeSchema,
      lastDeltaAt: NullableTimeSchema,
      conflicts: Type.Integer(),
      ambiguousNumbers: Type.Integer({ description: 'Numbers that several parties have.' }),
    }),
    currentSync: Type.Union([
      Type.Object({
        syncId: Type.String(),
        startedAt: TimeSchema,
        processed: Type.Integer(),
        total: Type.Union([Type.Integer(), Type.Null()]),
      }),
      Type.Null(),
    ]),
  }),
)
export type SyncStatusView = View<typeof SyncStatusSchema>

export const IntegrationSchema = named(
  'Integration',
  Type.Object({
    enabled: Type.Boolean(),
    changedAt: TimeSchema,
    changedBy: Type.String({ description: 'Such as token:emr; configuration where nobody has switched it.' }),
  }),
)

export const SwitchSchema = named(
  'IntegrationSwitch',
  Type.Object({ reason: Type.Optional(Type.String({ maxLength: 500 })) }, { examples: [{ reason: 'CRM migration' }] }),
)

export const PendingSchema = named(
  'CrmPending',
  Type.Object({
    callId: Type.String(),
    kind: Choice(['log', 'note']),
    state: Choice(['pending', 'dead']),
    endedAt: TimeSchema,
    attempts: Type.Integer(),
    nextAt: NullableTimeSchema,
    lastStatus: Type.Integer({ description: 'Of the last answer; 0: there was none.' }),
    lastError: Type.String(),
  }),
)
export type PendingView = View<typeof PendingSchema>

const count = Type.Integer({ minimum: 0 })

export const AnalyticsSchema = named(
  'IntegrationAnalytics',
  Type.Object({
    from: TimeSchema,
    to: TimeSchema,
    bucket: Choice(['hour', 'day']),
    uptime: Type.Object({
      percent: Type.Number(),
      outages: Type.Array(Type.Object({ startedAt: TimeSchema, endedAt: NullableTimeSchema, seconds: count, reason: Type.String() })),
    }),
    lookups: Type.Object({
      total: count,
      crm: Type.Integer({ description: 'Found by the CRM.' }),
      local: Type.Integer({ description: 'Found in the directory of the box, for the CRM did not answer.' }),
      notFound: count,
      ambiguous: count,
      timeouts: count,
      p50Ms: count,
      p95Ms: count,
    }),
    calls: Type.Object({
      inbound: count,
      outbound: count,
      answered: count,
      missed: count,
      voicemail: count,
      matchedPercent: Type.Number({ description: 'Of those that came in: how many were from somebody known.' }),
      avgRingSeconds: count,
      avgTalkSeconds: count,
    }),
    logs: Type.Object({
      delivered: count,
      pending: Type.Integer({ description: 'Now.' }),
      dead: Type.Integer({ description: 'Now.' }),
      p50DelaySeconds: count,
      p95DelaySeconds: count,
    }),
    series: Type.Array(Type.Object({ at: TimeSchema, calls: count, lookups: count, failures: count })),
  }),
)
export type AnalyticsView = View<typeof AnalyticsSchema>
