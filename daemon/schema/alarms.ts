/** Alarms as they are shown. */
import { Type } from '@sinclair/typebox'
import { alarmWays } from './alarm-ways.ts'
import { BoxEventSchema } from './box-events.ts'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { severities } from './states.ts'
import { IdSchema, NullableTimeSchema } from './voice-call.ts'

const addressee = { way: Choice(alarmWays), to: Type.String() }

export const AlarmsViewSchema = named(
  'Alarms',
  Type.Object({
    rules: Type.Array(
      Type.Object({
        id: Type.String(),
        events: Type.Array(Type.String()),
        severity: Choice(severities),
        now: Type.Boolean({ description: 'Whether the rule sends alarms at this time of the week.' }),
        notify: Type.Array(Type.Object(addressee)),
      }),
    ),
    alarms: Type.Array(
      Type.Object({
        rule: Type.String(),
        event: BoxEventSchema,
        times: Type.Integer({ description: 'How often the alarm was sent.' }),
        toldAt: { ...NullableTimeSchema, description: 'When last; null where it was not yet.' },
        nextAt: { ...NullableTimeSchema, description: 'When the alarm is sent next; null if it is not sent again or is being sent now.' },
      }),
      { description: 'Alarms that are due, or that were sent and are still open.' },
    ),
  }),
)
export type AlarmsView = View<typeof AlarmsViewSchema>

export const AcknowledgeSchema = named(
  'AcknowledgeRequest',
  Type.Object(
    { eventId: Type.Optional({ ...IdSchema, description: 'All that last where it is left out.' }) },
    { additionalProperties: false, examples: [{}] },
  ),
)

export const AlarmTestRequestSchema = named(
  'AlarmTestRequest',
  Type.Object(
    { rule: Type.Optional(Type.String({ maxLength: 64, description: 'All rules where it is left out.' })) },
    { additionalProperties: false, examples: [{}] },
  ),
)

export const AlarmTestSchema = named(
  'AlarmTest',
  Type.Array(
    Type.Object({
      rule: Type.String(),
      ...addressee,
      ok: Type.Boolean({
        description: 'It is in its queue, on the disk; a server that is asked at once took it, or has not answered yet.',
      }),
      error: Type.String({ description: '"" where it is.' }),
    }),
  ),
)
export type AlarmTestView = View<typeof AlarmTestSchema>
