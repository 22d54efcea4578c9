/** The callbacks that report how a reminder ended: one event name an outcome, all of one form. */
import { Type, type Static, type TObject } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { named, Count } from '../named.ts'
import { reminderOutcomes, type ReminderOutcome } from '../states.ts'
import { CallIdSchema, IdSchema, NullableTimeSchema } from '../voice-call.ts'
import { EventIdSchema, sent, type EventSpec } from './form.ts'

export type ReminderEventName = `reminder.${ReminderOutcome}`

export const reminderEventNames: readonly ReminderEventName[] = reminderOutcomes.map((outcome) => `reminder.${outcome}` as const)

export const OutcomeSchema = named(
  'ReminderOutcome',
  Choice(reminderOutcomes, {
    description:
      'How a reminder ended. confirmed, canceled, reschedule: what the patient chose. opted-out: the patient wants no more of these calls. voicemail: a ' +
      'message was left. no-answer, busy, failed: nobody was reached. expired: the appointment came first.',
  }),
)

const members = {
  event: Choice(reminderEventNames, { description: '`reminder.` and the outcome.' }),
  eventId: EventIdSchema,
  outcome: OutcomeSchema,
  reminderId: { ...IdSchema, description: 'As POST /api/reminders answered it.' },
  externalRef: Type.Union([Type.String({ maxLength: 255 }), Type.Null()], {
    description: 'Your own reference; null without one.',
  }),
  attempts: Count('calls', 'Calls made.'),
  lastCallId: Type.Union([CallIdSchema, Type.Null()], { description: 'Id of the last call; null without one.' }),
  answeredAt: { ...NullableTimeSchema, description: 'When the last call was answered; null if none was.' },
  completedAt: { ...NullableTimeSchema, description: 'When the reminder ended.' },
  smsSent: Type.Boolean({ description: 'Whether a text was sent as well.' }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description:
      'What made the outcome: keypad (a key was pressed), reception (they spoke with the office), no-input (answered, no key), too-late, ' +
      'opted-out and others; null where the outcome says it all.',
  }),
}

export const reminderEvent: EventSpec<Static<TObject<typeof members>>> = {
  schema: sent(
    'ReminderEvent',
    members,
    'A reminder has ended. Sent once, to its statusCallbackUrl. It holds no name, no number and nothing of the appointment: externalRef says ' +
      'which it is.',
    {
      event: 'reminder.confirmed',
      eventId: '019a5b40-7d31-7e55-b0c4-9a2f6e1d8c03',
      outcome: 'confirmed',
      reminderId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
      externalRef: 'A-5',
      attempts: 1,
      lastCallId: 'CA019a5b404d5e7f808192a3b4c5d6e7f8',
      answeredAt: '2026-03-02T14:00:09.300Z',
      completedAt: '2026-03-02T14:00:41.870Z',
      smsSent: true,
      reason: 'keypad',
    },
  ),
  route: 'callback',
}
