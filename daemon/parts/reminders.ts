/** Appointment reminders. */
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { Eraser } from '../erasure/erasure.ts'
import { reminderRoutes } from '../reminders/routes.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { Figure, Sample } from '../base/metrics.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Part } from '../part.ts'
import { createReminderCaller } from '../reminders/call/caller.ts'
import { eraseReminder } from '../reminders/erase.ts'
import type { ReminderQueue } from '../reminders/queue.ts'
import { createReminders } from '../reminders/reminders.ts'
import type { Trunks } from '../routing/trunks.ts'
import type { Voice } from '../voice/voice.ts'
import { callLines } from '../schema/call-lines.ts'

export interface RemindersPartOptions {
  readonly calls: Calls
  readonly trunks: Trunks
  readonly voice: Voice
  readonly outbox: Outbox
  readonly texts: Messaging
  readonly eraseText: Eraser
  /** Whether the time of day can be believed. */
  readonly clockTrusted: () => boolean
}

export function remindersPart(core: Core, options: RemindersPartOptions): Part {
  const { config, store, clock, policies } = core
  const caller = createReminderCaller({ ...core, ...options })
  const reminders = createReminders({ ...core, ...options, caller, policy: policies.callback })
  const { queue } = reminders
  const erase = eraseReminder(store, options.eraseText)
  return {
    name: 'reminders',
    routes: reminderRoutes({ ...reminders, store, clock, hasTrunk: () => callLines(config).length > 0 }, erase),
    erasers: { reminder: erase },
    health: { reminders: () => ({ ...reminders.condition(), required: false }) },
    warnings() {
      const { ok, reason, detail } = reminders.condition()
      // A clock that cannot be believed is a warning of its own.
      if (ok || !options.clockTrusted()) return []
      return [{ code: 'reminders', severity: 'error', text: `${reason}: ${detail}`, fix: 'pbx lines' }]
    },
    figures: reminderFigures(queue),
    queues: () => [{ name: 'reminders', title: 'reminders', waiting: queue.waiting, oldestAt: null }],
    sweeps: [{ what: 'reminders', sweep: () => reminders.sweep() }],
    stepped: () => queue.stepped(),
    start: () => reminders.start(),
    drain: () => reminders.drain(),
    stop: () => reminders.stop(),
  }
}

export function reminderFigures(queue: ReminderQueue): readonly Figure[] {
  const { figures } = queue
  const states = ['scheduled', 'dialing', 'in-call', 'waiting-retry'] as const
  return [
    {
      name: 'pbx_reminders',
      help: 'Reminders that have not ended.',
      type: 'gauge',
      read: () => states.map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
    },
    { name: 'pbx_reminders_calling', help: 'Reminder calls in progress.', type: 'gauge', read: () => [[{}, queue.calling]] },
    { name: 'pbx_reminders_ended_total', help: 'Reminders that have ended, by outcome.', type: 'counter', read: () => figures.ended() },
    {
      name: 'pbx_reminder_attempts_total',
      help: 'Calls made for reminders, by result.',
      type: 'counter',
      read: () => figures.attempts(),
    },
  ]
}
