/** The section `reminders` of the configuration: calls that remind of appointments. */
import { Type } from '@sinclair/typebox'
import { Choice, strict } from './forms.ts'

/** A time of day, `HH:MM`. */
export const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d$/

const time = (fallback: string, description: string) => Type.String({ default: fallback, pattern: timeOfDay.source, description })

export const RemindersSchema = strict(
  {
    window: strict(
      {
        from: time('09:00', 'First minute of calls, local time; never before 08:00.'),
        to: time('18:00', 'End of calls, local time; never after 21:00.'),
        days: Type.Array(Choice(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), {
          default: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
          minItems: 1,
          uniqueItems: true,
          description: 'Days of calls.',
        }),
      },
      'When people may be called.',
    ),
    leadDays: Type.Integer({ default: 1, minimum: 0, maximum: 14, description: 'Working days from the call to the appointment.' }),
    trunk: Type.Optional(Type.String({ minLength: 1, description: 'Trunk of the calls. Default: that of other outbound calls.' })),
    lines: Type.Integer({ default: 2, minimum: 1, maximum: 50, description: 'Reminder calls at once.' }),
    attempts: Type.Integer({ default: 3, minimum: 1, maximum: 10, description: 'Calls for one reminder.' }),
    ringSeconds: Type.Integer({ default: 30, minimum: 10, maximum: 120, description: 'How long a call rings.' }),
    sms: Type.Boolean({ default: false, description: 'Whether a text is sent as well, unless the reminder says otherwise.' }),
    speakDetails: Type.Boolean({ default: false, description: 'Whether service and staff are spoken: anyone may pick up.' }),
    reception: Type.Optional(Type.String({ minLength: 1, description: 'Destination of key 0; empty: the call does not offer it.' })),
    preset: Choice(['none', 'us-health-exempt'], { default: 'none', description: 'Rules of a country on top of these.' }),
    clock: Choice(['synchronised', 'any'], {
      default: 'synchronised',
      description: 'Calls wait until the clock has followed a time server; any: the clock is right without one.',
    }),
    keepDays: Type.Integer({ default: 90, minimum: 1, maximum: 3650, description: 'How long ended reminders are kept.' }),
  },
  'Reminder calls.',
)
