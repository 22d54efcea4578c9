/** Appointment reminders. */
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { Eraser } from '../erasure/erasure.ts'
import { ours, said } from '../base/for-log.ts'
import { reminderRoutes } from './routes.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Part } from '../part.ts'
import { createReminderCaller } from './call/caller.ts'
import { reminderFigures, eraseReminder } from './metrics.ts'
import { createReminders, type Reminders } from './reminders.ts'
import type { Routing } from '../routing/routing.ts'
import type { Voice } from '../voice/voice.ts'
import { callLines } from '../schema/call-lines.ts'

export interface RemindersPartOptions {
  readonly calls: Calls
  readonly routing: Pick<Routing, 'trunks'>
  readonly voice: Voice
  readonly outbox: Outbox
  readonly sms: { readonly messaging: Messaging; readonly erase: Eraser }
  /** Whether the time of day can be believed. */
  readonly time: { readonly trusted: () => boolean }
}

export interface RemindersPart extends Part {
  readonly reminders: Reminders
}

export function remindersPart(core: Core, options: RemindersPartOptions): RemindersPart {
  const { config, store, clock, log, policies } = core
  const { calls, routing, voice, outbox, sms, time } = options
  const { messaging: texts, erase: eraseText } = sms
  const clockTrusted = time.trusted
  const caller = createReminderCaller({ config, store, calls, trunks: routing.trunks, voice, clock, log })
  const reminders = createReminders({ config, store, outbox, caller, texts, clock, log, clockTrusted, policy: policies.callback })
  const { queue } = reminders
  const erase = eraseReminder(store, eraseText)
  return {
    name: 'reminders',
    reminders,
    routes: reminderRoutes({ ...reminders, store, clock, hasTrunk: () => callLines(config).length > 0 }, erase),
    erasers: { reminder: erase },
    health: { reminders: () => ({ ...reminders.condition(), required: false }) },
    warnings() {
      const { ok, reason, detail } = reminders.condition()
      // A clock that cannot be believed is a warning of its own.
      if (ok || !clockTrusted()) return []
      return [{ code: 'reminders', severity: 'error', text: said`${ours(reason)}: ${detail}`, fix: 'pbx lines' }]
    },
    figures: reminderFigures(queue),
    queues: () => [{ name: 'reminders', title: 'reminders', waiting: queue.waiting, oldestAt: null }],
    sweeps: [{ what: 'reminders', sweep: () => reminders.sweep() }],
    stepped: () => queue.stepped(),
    start: () => reminders.start(),
    hold: (on) => queue.hold(on),
    drain: () => reminders.drain(),
    stop: () => reminders.stop(),
  }
}
