/** The section `alarms` of the configuration: who is notified of which fault of the box, and when. */
import { Type, type Static, type TProperties } from '@sinclair/typebox'
import { Choice, Id, NumberText, strict } from './forms.ts'
import { severities } from '../operation.ts'

const NotifySchema = <W extends TProperties>(written: W) =>
  strict(
    {
      ...written,
      call: Type.Array(NumberText('A number that is called.'), {
        default: [],
        maxItems: 20,
        uniqueItems: true,
        description:
          'Numbers, or extensions, that are called and hear what is the matter; key 1 takes it in hand. Through any trunk that is up.',
      }),
      webhook: Type.Array(Type.String({ minLength: 8 }), {
        default: [],
        maxItems: 20,
        uniqueItems: true,
        description: 'Addresses that get alarm.raised and alarm.ended, signed with callbacks.secret and repeated until a 2xx.',
      }),
    },
    'Who is told, by which way.',
  )

const AlarmSchema = <W extends TProperties>(written: W) =>
  strict(
    {
      id: Id('Name of the rule.'),
      events: Type.Array(Type.String({ pattern: '^([a-z][A-Za-z0-9 ._:/-]{0,150}\\*?|\\*)$' }), {
        default: ['*'],
        minItems: 1,
        description:
          'Of what: kinds (line, part, disk, clock, update, login, daemon, warning) and codes of `pbx events` (line-main); a * at the end for a beginning, alone for everything.',
      }),
      severity: Choice(severities, { default: 'error', description: 'This, and what is worse. error: people are not served.' }),
      hours: Type.Optional(
        Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
          description:
            'When people are told, as the `open` of hours: { mon-fri: ["08:00-18:00"] }. What lasts when they begin is told then. Always by default.',
        }),
      ),
      afterSeconds: Type.Integer({ default: 60, minimum: 0, maximum: 86_400, description: 'What is over before is told to nobody.' }),
      repeatMinutes: Type.Integer({
        default: 60,
        minimum: 0,
        maximum: 10_080,
        description: 'Told again after so long, until it is over or somebody took it in hand; 0: once.',
      }),
      ended: Type.Boolean({ default: true, description: 'Whether they are told when it is over (by call never).' }),
      notify: NotifySchema(written),
    },
    'Who is told of what.',
  )

/** @param written addresses by each way that a part brings */
export const AlarmsSchema = <W extends TProperties>(written: W) =>
  Type.Array(AlarmSchema(written), { default: [], description: 'Who is told what is the matter with the box.' })

export const EventsSchema = strict(
  {
    keepDays: Type.Integer({
      default: 400,
      minimum: 1,
      maximum: 3650,
      description: 'How long the history of the box is kept: what was the matter with lines, parts, disk, clock.',
    }),
  },
  'The history of the box (`pbx events`).',
)
