/** Figures of the house, as pages and programs see them: counts alone, of nobody. */
import { Type, type TProperties } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View, Count } from './named.ts'
import { reminderOutcomes } from './states.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

const Number = (description: string) => Type.Integer({ minimum: 0, description })

const WaitsSchema = Type.Object({
  count: Number('Callers who were answered.'),
  within20Seconds: Number('Of them, those who waited 20 seconds at most.'),
  p50Seconds: Type.Union([Count('s', 'Half of them waited no longer; as exact as a histogram.'), Type.Null()]),
  p95Seconds: Type.Union([Count('s', '95 of 100 waited no longer.'), Type.Null()]),
})

const place = {
  at: Type.Union(NullableTimeSchema.anyOf, { description: 'Beginning of the period; null by the hours of the week.' }),
  key: Type.String({ description: 'Extension, queue, or an hour of the week such as mon-09; "" for all.' }),
}

/** What every answer has around its buckets. */
function answerOf<P extends TProperties>(name: string, counts: P) {
  const bucket = named(`${name}Bucket`, Type.Object({ ...place, ...counts }))
  return named(
    name,
    Type.Object({
      timeZone: Type.String({ description: 'Of the site: days and weeks are days and weeks there.' }),
      since: { ...TimeSchema, description: 'Nothing was recorded before.' },
      from: TimeSchema,
      to: TimeSchema,
      buckets: Type.Array(bucket, { description: 'In order of time; by name only those with figures.' }),
    }),
  )
}

export const CallFiguresSchema = answerOf('CallFigures', {
  inbound: Number('Calls from outside: answered, missed, abandoned, voicemail and other together.'),
  answered: Number('A person took it.'),
  missed: Number('Nobody took it, or the house was busy.'),
  abandoned: Number('The caller left while waiting or in a menu.'),
  voicemail: Number('It reached a mailbox.'),
  other: Number('An application took care of it alone, or it was a fax, refused or failed.'),
  returned: Number(
    'Of missed, abandoned and voicemail: the house has talked with the caller since. Of an extension: those that it returned.',
  ),
  outgoing: Number('Calls to numbers outside.'),
  outgoingAnswered: Number('Of outgoing: somebody answered.'),
  internal: Number('Between phones of the house.'),
  talkSeconds: Count('s', 'Talk with numbers outside.'),
  wait: { ...WaitsSchema, description: 'Until a person answered, menus included.' },
})
export type CallFiguresView = View<typeof CallFiguresSchema>

export const QueueFiguresSchema = answerOf('QueueFigures', {
  offered: Number('Callers who came to the queue.'),
  answered: Number('Somebody took the call there.'),
  abandoned: Number('The caller left.'),
  sentOn: Number('The queue was full or empty, the time was up, or the caller pressed the key.'),
  talkSeconds: Count('s', 'Talk after the answer.'),
  wait: { ...WaitsSchema, description: 'In the queue, until the answer.' },
})
export type QueueFiguresView = View<typeof QueueFiguresSchema>

const byName = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

export const FaxFiguresSchema = answerOf('FaxFigures', {
  sent: Number('Faxes that arrived whole.'),
  failed: Number('Faxes that were given up.'),
  canceled: Number('Faxes that somebody canceled.'),
  reasons: byName('Of failed: how many by reason, such as busy.'),
  received: Number('Faxes received.'),
  withoutPage: Number('Fax calls that brought no page.'),
  pagesSent: Number('Pages of which the far end said that they arrived.'),
  pagesReceived: Number('Pages received.'),
})
export type FaxFiguresView = View<typeof FaxFiguresSchema>

export const TextFiguresSchema = answerOf('TextFigures', {
  sent: Number('Texts that the network took and of which nothing more is known. Each counts in the hour in which it was accepted.'),
  delivered: Number('Texts that were delivered.'),
  failed: Number('Texts that were refused, expired or not delivered.'),
  unknown: Number('Texts that may have arrived.'),
  received: Number('Texts received.'),
})
export type TextFiguresView = View<typeof TextFiguresSchema>

export const ReminderFiguresSchema = answerOf('ReminderFigures', {
  ended: Number('Reminders that ended, without those that were replaced by another one.'),
  outcomes: Type.Object(Object.fromEntries(reminderOutcomes.map((outcome) => [outcome, Type.Integer()])), {
    description: 'How many by outcome.',
  }),
})
export type ReminderFiguresView = View<typeof ReminderFiguresSchema>

const Day = (description: string) => Type.String({ maxLength: 40, description })

/** `names`: what the figures can be split by, besides the hours of the week. */
export function figuresQuery(names: readonly string[]) {
  return Type.Object({
    from: Type.Optional(Day('First day in the time zone of the site, such as 2026-03-02, or a time. By default 30 days before `to`.')),
    to: Type.Optional(Day('Last day, or the time before which it ends. By default now.')),
    bucket: Type.Optional(
      Choice(['hour', 'day', 'week', 'month', 'all'], {
        default: 'day',
        description: 'Length of a period; weeks begin on Monday. At most 1,600.',
      }),
    ),
    by: Type.Optional(
      Choice([...names, 'weekday-hour'], {
        description: 'Splits each period. weekday-hour: one figure for each hour of the week, and no periods.',
      }),
    ),
  })
}
