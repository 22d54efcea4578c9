/** What leaves the box has a published form: each event strict, described, with an example, and nothing else can be sent. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { TSchema } from '@sinclair/typebox'
import t from 'tap'
import { eventSpecs, sentChannel, wireBody, type CallEventContent, type EventName, type OutgoingEvent } from '../../daemon/schema/events.ts'
import { reminderOutcomes } from '../../daemon/schema/states.ts'
import type { ReminderRow } from '../../daemon/store/tables.ts'
import { reminderCallback } from '../../daemon/reminders/view.ts'
import { misfitsOf } from '../harness/events-fit.ts'

type Members = Record<string, unknown> & { readonly event: string }
const names = Object.keys(eventSpecs) as EventName[]
const exampleOf = (name: EventName): Members => (eventSpecs[name].schema.examples as Members[])[0]!

t.test('every event has an example that fits, and is strict: nothing may be missing, nothing more may be there', async (t) => {
  for (const name of names) {
    const { schema } = eventSpecs[name]
    const example = exampleOf(name)
    t.same(misfitsOf(example), [], `${name}: its example`)
    t.match(misfitsOf({ ...example, patient: 'Ann' } as Members), [/must not have the member "patient"/], `${name}: a further member`)
    for (const member of schema.required as string[]) {
      if (member === 'event') continue
      const { [member]: _, ...rest } = example
      t.match(misfitsOf(rest as Members), [/is required/], `${name} without ${member}`)
    }
  }
  t.match(misfitsOf({ event: 'call.transferred' }), [/there is no event/])
})

t.test('every event and each of its members is described', async (t) => {
  for (const name of names) {
    const { schema } = eventSpecs[name]
    t.ok((schema.description ?? '').length > 20, name)
    for (const [member, about] of Object.entries(schema.properties as Record<string, TSchema>)) {
      if (member !== 'event') t.ok((about.description ?? '') !== '', `${name}: ${member}`)
    }
  }
})

t.test('a reminder has one event name an outcome', async (t) => {
  const row = {
    reminderId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
    externalRef: '',
    attempts: 1,
    lastCallId: '',
    smsSent: false,
    reason: '',
  }
  for (const outcome of reminderOutcomes) {
    const { event } = reminderCallback({
      ...row,
      outcome,
      answeredAt: null,
      completedAt: 0,
      statusCallbackUrl: '',
    } as unknown as ReminderRow)
    t.equal(event.event, `reminder.${outcome}`)
    t.same(misfitsOf(event), [])
  }
})

t.test('the bytes of an event are those of its JSON; who subscribes is told before it leaves', async (t) => {
  const seen: unknown[] = []
  const listen = (event: unknown): void => void seen.push(event)
  subscribe(sentChannel.name, listen)
  const event = exampleOf('fax.sent') as unknown as OutgoingEvent
  t.equal(wireBody(event), JSON.stringify(event))
  t.same(seen, [event])
  unsubscribe(sentChannel.name, listen)
})

t.test('the compiler refuses what no event is', async (t) => {
  const good: CallEventContent = { event: 'gather.partial', fields: { speech: 'yes', stable: true } }
  // @ts-expect-error there is no such event
  const unknown: CallEventContent = { event: 'gather.begun', fields: {} }
  // @ts-expect-error a member of another event
  const foreign: CallEventContent = { event: 'gather.partial', fields: { speech: 'yes', stable: true, transcript: '' } }
  // @ts-expect-error a member is missing
  const lacking: CallEventContent = { event: 'gather.partial', fields: { speech: 'yes' } }
  // @ts-expect-error not one of its words
  const reason: CallEventContent<'record.completed'>['fields']['reason'] = 'bored'
  t.ok([good, unknown, foreign, lacking, reason].length)
})
