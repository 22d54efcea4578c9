/** What alarms send to addresses of webhooks. */
import { Type, type Static, type TObject } from '@sinclair/typebox'
import { boxEventKinds } from '../box-events.ts'
import { Choice } from '../choice.ts'
import { severities } from '../operation.ts'
import { IdSchema, NullableTimeSchema, TimeSchema } from '../voice-call.ts'
import { EventIdSchema, sent, type EventSpec } from './form.ts'

export const alarmEventNames = ['alarm.raised', 'alarm.ended', 'alarm.test'] as const
export type AlarmEventName = (typeof alarmEventNames)[number]

const members = {
  event: Choice(alarmEventNames, {
    description: 'raised: it lasts, also when that is repeated; ended: it is over; test: nothing is the matter.',
  }),
  eventId: EventIdSchema,
  timestamp: { ...TimeSchema, description: 'When it was told.' },
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
      fix: Type.String({ description: 'What mends it.' }),
    }),
    { description: 'What is the matter, or was; empty in a test.' },
  ),
}

export const alarmEvent: EventSpec<Static<TObject<typeof members>>> = {
  schema: sent(
    'AlarmEvent',
    members,
    'Something is the matter with the box itself, or is over. Sent to each `webhook` of the rule that fits; nothing of a patient is in it.',
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
