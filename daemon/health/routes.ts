/** How the box is, on one page, and tests of what it can try by itself: for technicians; others see one sentence. */
import { Type } from '@sinclair/typebox'
import type { Clock } from '../base/clock.ts'
import type { BoxEvents } from '../box-events/box-events.ts'
import { boxEventExample } from '../schema/box-events.ts'
import { HealthSchema, LineHistorySchema, TestStepSchema, UpgradeSchema, type TestStep, type UpgradeView } from '../schema/health.ts'
import { roles, type Role } from '../schema/people.ts'
import { defineRoute, type Emit, type Principal, type Route } from '../http/route.ts'
import { upgradeOf, type HealthReading, outagesSince } from './reading.ts'
import { everything, lineTest, type TestSources } from './tests.ts'

export interface HealthServices extends TestSources {
  readonly version: string
  readonly clock: Pick<Clock, 'now'>
  readonly reading: Pick<HealthReading, 'now'>
  readonly events: Pick<BoxEvents, 'list' | 'lasting'>
}

const access = 'technician'
const tag = 'Operation'
const technicians: readonly Role[] = ['technician']
const dayMs = 86_400_000

const asOf = '2026-03-02T14:05:10.000Z'
const fault = { ok: false, severity: 'error', faults: 1, code: 'line-main', text: 'Trunk main: sip.example.net does not answer' }
const step: TestStep = { name: 'trunk main', level: 'ok', text: 'registered', fix: '' }
const upgrade: UpgradeView = { version: '0.1.0', last: null, failed: [] }
const outage = {
  since: '2026-03-02T02:05:28.000Z',
  until: '2026-03-02T02:41:03.000Z',
  severity: 'error',
  text: 'Trunk main: does not answer',
}

export function healthRoutes(services: HealthServices): Route[] {
  const { reading, events, clock, version } = services
  return [
    defineRoute({
      method: 'GET',
      path: '/api/health',
      access,
      people: roles,
      operationId: 'getBoxHealth',
      summary: 'How the box is: a verdict, what lasts and its remedy, lines with seven days, disk, backup, certificate, version',
      description: 'Technicians and programs see all of it, other people the verdict.',
      tag,
      responses: {
        200: {
          description: 'One reading for all who ask.',
          schema: HealthSchema,
          example: { asOf, verdict: fault, events: [boxEventExample] },
        },
      },
      handle: async ({ token }) => {
        const health = await reading.now()
        return { status: 200, body: seesAll(token) ? health : { asOf: health.asOf, verdict: health.verdict } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/lines/history',
      access,
      people: technicians,
      operationId: 'getLineHistory',
      summary: 'When each line was down',
      tag,
      query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 400, default: 30 })) }),
      responses: {
        200: {
          description: 'Trunks, modem lines and phones.',
          schema: Type.Array(LineHistorySchema),
          example: [{ id: 'main', since: '2026-02-01T00:00:00.000Z', outages: [outage], unknown: [] }],
        },
      },
      handle: ({ query: { days = 30 } }) => {
        const ids = services.lines().map(({ id }) => id)
        return { status: 200, body: outagesSince(events, ids, clock.now() - days * dayMs) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/upgrade',
      access,
      people: technicians,
      operationId: 'getUpgrade',
      summary: 'The version that runs, and how the last upgrade ended',
      tag,
      responses: { 200: { description: 'As pbx upgrade --status.', schema: UpgradeSchema, example: { ...upgrade } } },
      handle: () => ({ status: 200, body: upgradeOf(version) }),
    }),
    testRoute(
      {
        path: '/api/lines/:id/test',
        operationId: 'testLine',
        deed: 'line.test',
        summary: 'Try a line out, step by step',
        description: 'A modem line is taken for some seconds, unless it is in a call.',
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
      },
      ({ id }) => lineTest(services, id),
    ),
    testRoute(
      {
        path: '/api/test',
        operationId: 'testEverything',
        deed: 'box.test',
        summary: 'Try everything that the box can try by itself, and name what needs a person',
        description: 'Modem lines are taken for some seconds each. `byHand`: what is left to a person, with the route that does it.',
        params: Type.Object({}),
      },
      () => everything(services),
    ),
  ]
}

interface TestRoute {
  readonly path: string
  readonly operationId: string
  readonly deed: 'line.test' | 'box.test'
  readonly summary: string
  readonly description: string
  readonly params: ReturnType<typeof Type.Object>
}

function testRoute(route: TestRoute, test: (params: { readonly id: string }) => AsyncIterable<TestStep>): Route {
  return defineRoute({
    ...{ method: 'POST', access, people: technicians, tag },
    ...route,
    responses: {
      200: { description: 'A line for each step.', contentType: 'application/x-ndjson', schema: TestStepSchema, example: step },
    },
    handle: ({ params, signal }) => {
      const steps = test(params as { id: string })
      return { status: 200, stream: (emit) => follow(steps, emit, signal) }
    },
  })
}

async function follow(steps: AsyncIterable<TestStep>, emit: Emit, signal: AbortSignal): Promise<void> {
  for await (const one of steps) {
    if (signal.aborted) return
    await emit(one)
  }
}

const seesAll = (token: Principal | null): boolean => token?.person === undefined || token.person.roles.includes('technician')
