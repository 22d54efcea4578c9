/** The section `alarms` of the configuration: who is notified of which fault of the box, and when. */
import { Type, type Static, type TProperties } from '@sinclair/typebox'
import { Choice, Id, NumberText, strict } from './forms.ts'
import { severities } from '../states.ts'

const NotifySchema = <W extends TProperties>(written: W) =>
  strict(
    {
      ...written,
      call: Type.Array(NumberText('A number that is called.'), {
        default: [],
        maxItems: 20,
        uniqueItems: true,
        description: 'Numbers or extensions that are called and hear the fault; key 1 acknowledges it. The call uses any trunk that is up.',
      }),
      webhook: Type.Array(Type.String({ minLength: 8 }), {
        default: [],
        maxItems: 20,
        uniqueItems: true,
        description: 'Addresses that get alarm.raised and alarm.ended, signed with callbacks.secret and repeated until a 2xx.',
      }),
    },
    'Recipients, by way of sending.',
  )

const AlarmSchema = <W extends TProperties>(written: W) =>
  strict(
    {
      id: Id('Name of the rule.'),
      events: Type.Array(Type.String({ pattern: '^([a-z][A-Za-z0-9 ._:/-]{0,150}\\*?|\\*)$' }), {
        default: ['*'],
        minItems: 1,
        description:
          'Which events: kinds (line, part, disk, clock, update, login, daemon, warning) and codes of `pbx events` (line-main). A final * matches any ending; * alone matches everything.',
      }),
      severity: Choice(severities, { default: 'error', description: 'The lowest severity. error: people are not served.' }),
      hours: Type.Optional(
        Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })), {
          description:
            'When alarms are sent, in the form of `open` of hours: { mon-fri: ["08:00-18:00"] }. Faults that are still open when the hours start are sent then. Default: always.',
        }),
      ),
      afterSeconds: Type.Integer({ default: 60, minimum: 0, maximum: 86_400, description: 'Faults that clear sooner raise no alarm.' }),
      repeatMinutes: Type.Integer({
        default: 60,
        minimum: 0,
        maximum: 10_080,
        description: 'The alarm is repeated after this time until the fault clears or is acknowledged; 0: once.',
      }),
      ended: Type.Boolean({
        default: true,
        description: 'Whether the recipients are notified when the fault has cleared (never by call).',
      }),
      notify: NotifySchema(written),
    },
    'One rule: which events are sent to whom.',
  )

/** @param written addresses by each way that a part brings */
export const AlarmsSchema = <W extends TProperties>(written: W) =>
  Type.Array(AlarmSchema(written), { default: [], description: 'Rules that send alarms about faults of the box.' })

export const EventsSchema = strict(
  {
    keepDays: Type.Integer({
      default: 400,
      minimum: 1,
      maximum: 3650,
      description: 'How long the history of the box is kept: faults of lines, parts, disk, clock.',
    }),
  },
  'The history of the box (`pbx events`).',
)
