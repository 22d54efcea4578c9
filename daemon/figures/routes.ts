/** Figures of the house over HTTP. They are counts: the desk sees those of its own queues today, managers and technicians all. */
import type { TSchema } from '@sinclair/typebox'
import { isoTime, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Principal, type Route } from '../http/route.ts'
import {
  CallFiguresSchema,
  FaxFiguresSchema,
  figuresQuery,
  QueueFiguresSchema,
  ReminderFiguresSchema,
  TextFiguresSchema,
  type CallFiguresView,
  type FaxFiguresView,
  type QueueFiguresView,
  type ReminderFiguresView,
  type TextFiguresView,
} from '../schema/figures.ts'
import type { Role } from '../schema/people.ts'
import { type Counts, waitsOf } from './counts.ts'
import type { Figures, Series } from './figures.ts'
import { momentIn, startOfDay } from './periods.ts'
import { read, type Asked } from './read.ts'
import { reminderOutcomes } from '../schema/states.ts'

/** Figures as the interface shows them. */
type Shown<V extends { readonly buckets: readonly object[] }> = Omit<V['buckets'][number], 'at' | 'key'>

/** The named counters, 0 where nothing was counted. */
const these = <const N extends string>(counts: Counts, ...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<N, number>

export const callCounts = (counts: Counts): Shown<CallFiguresView> => ({
  ...these(counts, 'inbound', 'answered', 'missed', 'abandoned', 'voicemail', 'other', 'returned'),
  ...these(counts, 'outgoing', 'outgoingAnswered', 'internal', 'talkSeconds'),
  wait: waitsOf(counts),
})

const queueCounts = (counts: Counts): Shown<QueueFiguresView> => ({
  ...these(counts, 'offered', 'answered', 'abandoned', 'sentOn', 'talkSeconds'),
  wait: waitsOf(counts),
})

function faxCounts(counts: Counts): Shown<FaxFiguresView> {
  const reasons = Object.entries(counts).flatMap(([name, count]) => (name.startsWith('reason:') ? [[name.slice(7), count] as const] : []))
  return {
    ...these(counts, 'sent', 'failed', 'canceled', 'received', 'withoutPage', 'pagesSent', 'pagesReceived'),
    reasons: Object.fromEntries(reasons),
  }
}

const textCounts = (counts: Counts): Shown<TextFiguresView> => these(counts, 'sent', 'delivered', 'failed', 'unknown', 'received')

function reminderCounts(counts: Counts): Shown<ReminderFiguresView> {
  const outcomes = these(counts, ...reminderOutcomes)
  return { ended: Object.values(outcomes).reduce((sum, count) => sum + count, 0), outcomes }
}

export interface FigureRouteOptions {
  readonly figures: Figures
  readonly clock: Pick<Clock, 'now'>
  /** IANA. */
  readonly timeZone: string
}

interface Kind {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly people: readonly Role[]
  /** What a figure can be split by, and the series that has it. */
  readonly names: Readonly<Record<string, Series>>
  readonly series: Series
  /** All of the series are its names together. */
  readonly ofNames?: true
  readonly schema: TSchema
  readonly show: (counts: Counts) => object
  readonly example: object
}

const dayMs = 86_400_000
const managers: readonly Role[] = ['manager', 'technician']
const wait = { count: 41, within20Seconds: 30, p50Seconds: 12, p95Seconds: 48 }

const kinds: readonly Kind[] = [
  {
    ...{ path: 'calls', operationId: 'getCallFigures', summary: 'Calls by period: answered, missed, returned, talk and waits' },
    description:
      'Counted in the hour in which a call began, once it has ended. by=extension: the extension that talked or called, or rang in vain (missed).',
    ...{ people: managers, names: { extension: 'extensions' }, series: 'calls', schema: CallFiguresSchema, show: callCounts },
    example: {
      ...{ inbound: 52, answered: 41, missed: 6, abandoned: 2, voicemail: 3, other: 0, returned: 8, outgoing: 19, outgoingAnswered: 15 },
      ...{ internal: 7, talkSeconds: 9120, wait },
    },
  },
  {
    ...{ path: 'queues', operationId: 'getQueueFigures', summary: 'Callers of queues by period: answered, left, and waits' },
    description: 'A person of the desk is shown the own queues of the current day.',
    ...{ people: ['desk', ...managers], names: { queue: 'queues' }, series: 'queues', ofNames: true, schema: QueueFiguresSchema },
    show: queueCounts,
    example: { offered: 45, answered: 41, abandoned: 2, sentOn: 2, talkSeconds: 8040, wait },
  },
  {
    ...{ path: 'faxes', operationId: 'getFaxFigures', summary: 'Faxes by period: sent, received, and why they failed' },
    ...{ people: managers, names: {}, series: 'faxes', schema: FaxFiguresSchema, show: faxCounts },
    example: {
      ...{
        sent: 12,
        failed: 2,
        canceled: 0,
        reasons: { busy: 1, no_answer: 1 },
        received: 9,
        withoutPage: 1,
        pagesSent: 37,
        pagesReceived: 30,
      },
    },
  },
  {
    ...{ path: 'texts', operationId: 'getTextFigures', summary: 'Texts by period: sent, delivered, failed and received' },
    ...{ people: managers, names: {}, series: 'texts', schema: TextFiguresSchema, show: textCounts },
    example: { sent: 3, delivered: 25, failed: 1, unknown: 0, received: 11 },
  },
  {
    ...{ path: 'reminders', operationId: 'getReminderFigures', summary: 'Reminders by period and outcome' },
    ...{ people: managers, names: {}, series: 'reminders', schema: ReminderFiguresSchema, show: reminderCounts },
    example: reminderCounts({ confirmed: 21, 'no-answer': 3, canceled: 1 }),
  },
]

export function figureRoutes(options: FigureRouteOptions): Route[] {
  return kinds.map((kind) => figureRoute(kind, options))
}

function figureRoute(kind: Kind, { figures, clock, timeZone }: FigureRouteOptions): Route {
  const { path, operationId, summary, description, people, names, series, schema, show, example, ofNames } = kind
  const exampleAnswer = {
    ...{
      timeZone: 'America/New_York',
      since: '2026-03-01T14:05:10.000Z',
      from: '2026-03-02T05:00:00.000Z',
      to: '2026-03-03T05:00:00.000Z',
    },
    buckets: [{ at: '2026-03-02T05:00:00.000Z', key: '', ...example }],
  }
  return defineRoute({
    method: 'GET',
    path: `/api/figures/${path}`,
    access: 'technician',
    people,
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tag: 'Figures',
    query: figuresQuery(Object.keys(names)) as unknown as typeof QuerySchema,
    responses: { 200: { description: 'Figures, in order of time.', schema, example: exampleAnswer } },
    handle: async ({ query, token }) => {
      mustBeUnrestricted(token, 'figures')
      const { from, to } = timeOf(query, clock.now(), timeZone)
      const { bucket, by } = query
      const own = ownQueues(token)
      const today = own === undefined ? from : startOfDay(clock.now(), timeZone)
      const asked: Asked = {
        ...{ series: by === undefined ? series : (names[by] ?? series), from: Math.max(from, today), to, bucket: bucket ?? 'day' },
        by: by === undefined || by === 'weekday-hour' ? by : 'name',
        ...(ofNames === true || (by !== undefined && by in names) ? { names: (name: string) => own?.includes(name) ?? true } : {}),
      }
      const buckets = await read(figures, timeZone, asked)
      const since = isoTime(figures.since())
      const shown = buckets.map(({ at, key, counts }) => ({ at: isoTime(at), key, ...show(counts) }))
      return { status: 200, body: { timeZone, since, from: isoTime(asked.from), to: isoTime(to), buckets: shown } }
    },
  })
}

const QuerySchema = figuresQuery([])

/** Of a person of the desk who has no other role; undefined for everybody else. */
function ownQueues(token: Principal | null): readonly string[] | undefined {
  const person = token?.person
  return person === undefined || person.roles.some((role) => managers.includes(role)) ? undefined : person.queues
}

interface Time {
  readonly from: number
  readonly to: number
}

function timeOf({ from, to }: { readonly from?: string; readonly to?: string }, now: number, timeZone: string): Time {
  const end = to === undefined ? now : momentOf('to', to, timeZone)
  const start = from === undefined ? startOfDay(end - 30 * dayMs, timeZone) : momentOf('from', from, timeZone)
  if (start < end) return { from: start, to: end }
  throw new ApiError('validation_failed', '"to" must be after "from".', { details: [{ path: '/to', message: 'must be after "from"' }] })
}

function momentOf(name: 'from' | 'to', text: string, timeZone: string): number {
  const at = momentIn(text, timeZone, name === 'to')
  if (at !== undefined) return at
  throw new ApiError('validation_failed', `"${name}" must be a day or a time.`, {
    details: [{ path: `/${name}`, message: 'must be a day such as 2026-03-02, or a time such as 2026-03-02T14:05:00Z' }],
  })
}
