/** What alarms send to addresses of webhooks. */
import { Type, type Static, type TObject } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { boxEventKinds, severities } from '../states.ts'
import { IdSchema, NullableTimeSchema, TimeSchema } from '../voice-call.ts'
import { EventIdSchema, sent, type EventSpec } from './form.ts'

export const alarmEventNames = ['alarm.raised', 'alarm.ended', 'alarm.test'] as const
export type AlarmEventName = (typeof alarmEventNames)[number]

const members = {
  event: Choice(alarmEventNames, {
    description: 'raised: the fault is open (also in repetitions); ended: it has cleared; test: a test message.',
  }),
  eventId: EventIdSchema,
  timestamp: { ...TimeSchema, description: 'When the alarm was sent.' },
  site: Type.String({ description: '`site.name`.' }),
  rule: Type.String({ description: 'Of `alarms`.' }),
  conditions: Type.Array(
    Type.Object({
      boxEventId: { ...IdSchema, description: 'As `GET /api/box/events` has it: the same when it is repeated and when it has ended.' },
      kind: Choice(boxEventKinds),
      code: Type.String(),
      severity: Choice(severities),
      since: TimeSchema,
      until: NullableTimeSchema,
      text: Type.String(),
      fix: Type.String({ description: 'The remedy.' }),
    }),
    { description: 'The faults, open or cleared; empty in a test.' },
  ),
}

export const alarmEvent: EventSpec<Static<TObject<typeof members>>> = {
  schema: sent(
    'AlarmEvent',
    members,
    'A fault of the box is open, or has cleared. Sent to each `webhook` of the matching rule. It contains no patient data.',
    {
      event: 'alarm.raised',
      eventId: '019a5b3c-5f10-7a61-9d2e-4b8c6f0a1d37',
      timestamp: '2026-03-02T02:06:31.412Z',
      site: 'Riverside Clinic',
      rule: 'office',
      conditions: [
        {
          boxEventId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
          kind: 'line',
          code: 'line-main',
          severity: 'error',
          since: '2026-03-02T02:05:28.000Z',
          until: null,
          text: 'Trunk main: sip.example.net does not answer',
          fix: 'getent hosts sip.example.net',
        },
      ],
    },
  ),
  route: 'alarm',
}
