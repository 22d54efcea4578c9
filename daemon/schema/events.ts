/**
 * Every event and callback that leaves the box, as schema and as type. What is sent is one of these and nothing else: the makers of
 * events, the requests to applications and the outbox take no other type, and tests hold what is really sent against the schemas.
 */
import { channel } from 'node:diagnostics_channel'
import type { Static } from '@sinclair/typebox'
import { alarmEvent, alarmEventNames, type AlarmEventName } from './events/alarms.ts'
import { callEvents as aboutCalls } from './events/calls.ts'
import { faxEvents } from './events/fax.ts'
import type { EnvelopeKey, EventSpec } from './events/form.ts'
import { inputEvents } from './events/inputs.ts'
import { streamEvents } from './events/streams.ts'
import { reminderEvent, reminderEventNames, type ReminderEventName } from './events/reminders.ts'

/** The events of a call. */
export const callEventSpecs = { ...aboutCalls, ...inputEvents, ...streamEvents }
export type CallEventName = keyof typeof callEventSpecs
/** What a caller has finished: reported whatever becomes of the call. */
export type InputEventName = 'gather.completed' | 'record.completed' | 'stream.completed'

export const reminderEventSpecs = Object.fromEntries(reminderEventNames.map((name) => [name, reminderEvent])) as Readonly<
  Record<ReminderEventName, typeof reminderEvent>
>

const alarmEventSpecs = Object.fromEntries(alarmEventNames.map((name) => [name, alarmEvent])) as Readonly<
  Record<AlarmEventName, typeof alarmEvent>
>

export const eventSpecs: Readonly<Record<EventName, EventSpec>> = {
  ...callEventSpecs,
  ...faxEvents,
  ...reminderEventSpecs,
  ...alarmEventSpecs,
}
export type EventName = CallEventName | keyof typeof faxEvents | ReminderEventName | AlarmEventName

type SchemaOf<N extends CallEventName> = (typeof callEventSpecs)[N]['schema']

/** An event of a call as it is sent. */
export type CallEvent<N extends CallEventName = CallEventName> = N extends CallEventName ? Static<SchemaOf<N>> : never
export type FaxEvent = { [N in keyof typeof faxEvents]: Static<(typeof faxEvents)[N]['schema']> }[keyof typeof faxEvents]
export type AlarmEvent = Static<(typeof alarmEvent)['schema']>
export type ReminderEvent = Static<(typeof reminderEvent)['schema']>

/** Everything that is sent, by `event`. */
export type OutgoingEvent = CallEvent | FaxEvent | ReminderEvent | AlarmEvent

/** Name and own members of an event of a call: what the envelope of the call is added to. */
export type CallEventContent<N extends CallEventName = CallEventName> = N extends CallEventName
  ? { readonly event: N; readonly fields: Readonly<Omit<CallEvent<N>, EnvelopeKey>> }
  : never

/** A subscriber receives each event before it is sent; there is none in production. */
export const sentChannel = channel('pbxd:event')

/** The bytes of an event, made once: these are signed, sent and sent again. */
export function wireBody(event: OutgoingEvent): string {
  if (sentChannel.hasSubscribers) sentChannel.publish(event)
  return JSON.stringify(event)
}
