/** Alarms: the rules and their addresses, a test message, and acknowledgement. */
import { Type } from '@sinclair/typebox'
import type { AlarmDesk } from './desk.ts'
import { AcknowledgeSchema, AlarmsViewSchema, AlarmTestRequestSchema, AlarmTestSchema } from '../schema/alarms.ts'
import { boxEventExample } from '../schema/box-events.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { roles, type Role } from '../schema/people.ts'

const access = 'admin'
const managers: readonly Role[] = ['manager', 'technician']
const office = { way: 'call', to: '+15551230000' }
const exampleView = {
  rules: [{ id: 'office', events: ['line'], severity: 'error', now: true, notify: [office] }],
  alarms: [{ rule: 'office', event: boxEventExample, times: 1, toldAt: '2026-03-02T02:06:31.412Z', nextAt: '2026-03-02T03:06:31.412Z' }],
}
const tag = 'Operation'

export function alarmRoutes(desk: Pick<AlarmDesk, 'view' | 'test' | 'acknowledge'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/alarms',
      access,
      people: roles,
      operationId: 'getAlarms',
      summary: 'The alarm rules, and the alarms that are open or were sent',
      tag,
      responses: { 200: { description: 'Rules and alarms.', schema: AlarmsViewSchema, example: exampleView } },
      handle: () => ({ status: 200, body: desk.view() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/alarms/test',
      access,
      people: managers,
      operationId: 'testAlarms',
      deed: 'alarm.test',
      summary: 'Send a test message to everyone named in a rule, or in all rules',
      tag,
      body: AlarmTestRequestSchema,
      responses: {
        200: {
          description: 'Each, with what became of it.',
          schema: AlarmTestSchema,
          example: [{ rule: 'office', ...office, ok: true, error: '' }],
        },
      },
      handle: async ({ body: { rule } }) => ({ status: 200, body: await desk.test(rule) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/alarms/acknowledge',
      access,
      people: managers,
      operationId: 'acknowledgeAlarms',
      deed: 'alarm.acknowledge',
      summary: 'Acknowledge an event, or all open ones: no reminders until they clear',
      tag,
      body: AcknowledgeSchema,
      responses: {
        200: {
          description: 'How many nobody had in hand before.',
          schema: Type.Object({ acknowledged: Type.Integer() }),
          example: { acknowledged: 1 },
        },
      },
      handle: async ({ body: { eventId }, token, deed }) => {
        const by = token === null ? 'pbx' : (token.person?.name ?? `token ${token.name}`)
        return { status: 200, body: { acknowledged: await desk.acknowledge(eventId, by, (about) => deed.record(about)) } }
      },
    }),
  ]
}
