/** What changed at the box itself, as it is shown. */
import { Type } from '@sinclair/typebox'
import { alarmWays } from './alarm-ways.ts'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { boxEventKinds, severities } from './states.ts'
import { IdSchema, NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const BoxEventSchema = named(
  'BoxEvent',
  Type.Object(
    {
      eventId: { ...IdSchema, description: 'Sorts by the time at which it was noticed.' },
      kind: Choice(boxEventKinds, {
        description:
          'line: a trunk, a phone, a modem, a trunk of texts; part: as in /readyz; disk, clock; update: another version of the program; ' +
          'login: somebody was shut out after wrong passwords; daemon: it did not run; warning: everything else that a person should look at.',
      }),
      code: Type.String({ description: 'The same for the same fault, such as line-main; for programs and for rules of alarms.' }),
      severity: Choice(severities, { description: 'notice: worth knowing; warning: to be repaired; error: people are not served.' }),
      since: TimeSchema,
      until: { ...NullableTimeSchema, description: 'null while it lasts; equal to `since` for an event without duration.' },
      text: Type.String({ description: 'The reason, for a person; while it lasts as it is now. Without names and numbers of patients.' }),
      fix: Type.String({ description: 'The remedy: a command or a line of the configuration; "" if nothing is to be done.' }),
      acknowledgedAt: { ...NullableTimeSchema, description: 'When somebody took it in hand; no alarm is repeated from then on.' },
      acknowledgedBy: Type.String({ description: '"" for nobody.' }),
      told: Type.Array(
        Type.Object({
          at: TimeSchema,
          rule: Type.String(),
          way: Choice(alarmWays),
          to: Type.String(),
        }),
        { description: 'The latest 20 alarms that were sent for this event.' },
      ),
    },
    { description: 'Something about the box itself that began and, perhaps, ended.' },
  ),
)
export type BoxEventView = View<typeof BoxEventSchema>

export const BoxEventPageSchema = named(
  'BoxEventPage',
  Type.Object({
    items: Type.Array(BoxEventSchema, { description: 'Newest first.' }),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'Of the next page; null at the end.' }),
  }),
)

export const boxEventExample: BoxEventView = {
  eventId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
  kind: 'line',
  code: 'line-main',
  severity: 'error',
  since: '2026-03-02T02:05:28.000Z',
  until: null,
  text: 'Trunk main: sip.example.net does not answer',
  fix: 'getent hosts sip.example.net',
  acknowledgedAt: null,
  acknowledgedBy: '',
  told: [{ at: '2026-03-02T02:06:31.412Z', rule: 'office', way: 'call', to: '+15551230000' }],
}
