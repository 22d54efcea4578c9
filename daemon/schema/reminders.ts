/** Requests and answers of the reminder routes. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { OutcomeSchema } from './events/reminders.ts'
import { exampleTime, named, type View } from './named.ts'
import { reminderOutcomes, reminderStates } from './states.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

const text = (most: number, description: string) => Type.Optional(Type.String({ maxLength: most, description }))

const example = {
  customerName: 'Jane Doe',
  phoneNumber: '555-123-0001',
  appointmentAt: exampleTime,
  serviceName: 'Check-up',
  staffName: 'Dr. Hay',
  externalRef: 'A-5',
  statusCallbackUrl: 'https://app.example/reminders',
}

export const ReminderRequestSchema = named(
  'ReminderRequest',
  Type.Object(
    {
      customerName: text(200, 'Person to be reminded; the first name is spoken.'),
      phoneNumber: Type.String({ minLength: 1, maxLength: 64, description: 'Number to call; spaces, dashes and the like are allowed.' }),
      appointmentAt: Type.String({ minLength: 1, maxLength: 40, description: 'ISO 8601, in UTC (Z) or with an offset.' }),
      serviceName: text(200, 'Service that is booked.'),
      staffName: text(200, 'Member of the staff.'),
      externalRef: text(255, "The caller's own reference: in the callback, and the same reminder when it comes again."),
      statusCallbackUrl: text(2048, 'Absolute URL that receives reminder.<outcome>.'),
      language: text(35, 'BCP 47; that of the site when absent.'),
      timeZone: text(64, 'IANA name; that of the site when absent.'),
      sms: Type.Optional(Type.Boolean({ description: 'Whether a text goes alongside; as configured when absent.' })),
    },
    { description: 'An appointment to be reminded of. Unknown members are ignored.', examples: [example] },
  ),
)

export type ReminderRequestBody = Static<typeof ReminderRequestSchema>

/** Items are looked at one by one, so that one that does not fit leaves the others alone: the last two forms take them as they are. */
export const ReminderSubmissionSchema = Type.Union(
  [
    ReminderRequestSchema,
    Type.Array(ReminderRequestSchema, { description: '1 to 500 reminders.' }),
    Type.Object({ reminders: Type.Array(ReminderRequestSchema) }, { description: '1 to 500 reminders.' }),
    Type.Array(Type.Unknown(), { description: 'Reminders some of which do not fit: those are rejected, each with its reason.' }),
    Type.Object({}, { description: 'The same.' }),
  ],
  { description: 'One reminder or several; each is accepted or rejected by itself.', examples: [{ reminders: [example] }] },
)

/** What the states and outcomes are called, for those who check text. */
export const reminderStatuses: readonly string[] = [...reminderStates, ...reminderOutcomes]

export const ReminderStatusSchema = named(
  'ReminderStatus',
  Choice([...reminderStates, ...reminderOutcomes], { description: 'The state; for an ended reminder its outcome.' }),
)

const IdSchema = Type.String({ format: 'uuid' })
const NullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const reference = NullableText("The caller's own reference.")
const index = Type.Integer({ description: 'Place in the request, counted from 0.' })

export const ReminderAnswerSchema = named(
  'ReminderAnswer',
  Type.Object({
    accepted: Type.Integer(),
    rejected: Type.Integer(),
    reminders: Type.Array(
      Type.Union([
        Type.Object({
          index,
          reminderId: IdSchema,
          externalRef: reference,
          status: ReminderStatusSchema,
          firstAttemptAt: Type.Union([TimeSchema, Type.Null()], { description: 'When it is called next; null when no call is planned.' }),
          duplicate: Type.Boolean({ description: 'The same reminder was accepted before: this is that one.' }),
          reason: Type.Optional(Type.String({ description: 'Why the reminder has already ended.' })),
          warning: Type.Optional(
            Type.String({ description: 'Of a number that the numbering plan does not have, and that is called all the same.' }),
          ),
        }),
        Type.Object({
          index,
          externalRef: reference,
          error: Type.String({ description: 'For people.' }),
          code: Type.String({ description: 'Stable; for programs.' }),
        }),
      ]),
    ),
  }),
)

export const ReminderSchema = named(
  'Reminder',
  Type.Object({
    reminderId: IdSchema,
    externalRef: reference,
    status: ReminderStatusSchema,
    outcome: Type.Union([OutcomeSchema, Type.Null()], { description: 'Null until the reminder has ended.' }),
    reason: NullableText('What made the outcome, or why it is called again: keypad, speech, reception, no-input, too-late, ...'),
    customerName: Type.String(),
    phoneNumber: Type.String({ description: 'E.164.' }),
    appointmentAt: TimeSchema,
    serviceName: Type.String(),
    staffName: Type.String(),
    language: NullableText('Null for that of the site.'),
    timeZone: NullableText('Null for that of the site.'),
    sms: Type.Boolean({ description: 'Whether a text goes alongside.' }),
    smsSent: Type.Boolean(),
    attempts: Type.Integer({ description: 'Calls made.' }),
    nextAttemptAt: NullableTimeSchema,
    lastCallId: NullableText('Of the last call.'),
    createdAt: TimeSchema,
    answeredAt: NullableTimeSchema,
    completedAt: NullableTimeSchema,
  }),
)

export type ReminderView = View<typeof ReminderSchema>

export const ReminderListSchema = Type.Object({
  items: Type.Array(ReminderSchema),
  reminders: Type.Array(ReminderSchema, { deprecated: true, description: 'The same as items.' }),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'For the next page; null at the end.' }),
  day: Type.Union([Type.String(), Type.Null()], { description: 'That was asked for, as a date.' }),
  timeZone: Type.String({ description: 'Of the site: days are days there.' }),
})
export type ReminderListView = View<typeof ReminderListSchema>

export const ReminderCallingSchema = named(
  'ReminderCalling',
  Type.Object({
    asOf: TimeSchema,
    clockTrusted: Type.Boolean({ description: 'False: nobody is called until the clock of the box has followed a time server.' }),
    window: Type.Object(
      { open: Type.Boolean(), until: { ...NullableTimeSchema, description: 'When it closes, or opens next.' } },
      { description: 'The hours of reminder calls, in the time zone of the site.' },
    ),
    waiting: Type.Integer({ description: 'Reminders that have not ended.' }),
    calling: Type.Integer({ description: 'Calls under way.' }),
    nextAt: { ...NullableTimeSchema, description: 'When the next call is planned.' },
    noLineSince: { ...NullableTimeSchema, description: 'Since when a reminder that is due finds no free line.' },
    missingDay: NullableText('The next working day, where it is 15:00 and later and no appointment of it was posted; otherwise null.'),
  }),
)
export type ReminderCallingView = View<typeof ReminderCallingSchema>

export const reminderCallingExample: ReminderCallingView = {
  ...{ asOf: '2026-03-02T19:00:00.000Z', clockTrusted: true, window: { open: true, until: '2026-03-02T23:00:00.000Z' } },
  ...{ waiting: 12, calling: 1, nextAt: '2026-03-02T19:04:00.000Z', noLineSince: null, missingDay: null },
}

export const OptOutRemovalSchema = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 200, description: 'Why the number may be called again; kept in the audit trail.' })) },
  { additionalProperties: false, examples: [{ reason: 'The patient asked for the calls again.' }] },
)

export const OptOutSchema = Type.Object({ number: Type.String(), since: Type.Integer({ description: 'Milliseconds since the epoch.' }) })
export type OptOutView = View<typeof OptOutSchema>

const exampleId = '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8'

export const reminderAnswerExample = {
  accepted: 1,
  rejected: 1,
  reminders: [
    {
      index: 0,
      reminderId: exampleId,
      externalRef: 'A-5',
      status: 'scheduled',
      firstAttemptAt: '2026-03-02T14:00:00.000Z',
      duplicate: false,
    },
    { index: 1, externalRef: null, error: 'The appointment is in the past.', code: 'appointment_in_past' },
  ],
}

export const reminderExample = {
  reminderId: exampleId,
  externalRef: 'A-5',
  status: 'scheduled',
  outcome: null,
  reason: null,
  customerName: 'Jane Doe',
  phoneNumber: '+15551230001',
  appointmentAt: '2026-03-03T15:30:00.000Z',
  serviceName: 'Check-up',
  staffName: 'Dr. Hay',
  language: null,
  timeZone: null,
  sms: false,
  smsSent: false,
  attempts: 0,
  nextAttemptAt: '2026-03-02T14:00:00.000Z',
  lastCallId: null,
  createdAt: '2026-03-01T10:00:00.000Z',
  answeredAt: null,
  completedAt: null,
}
