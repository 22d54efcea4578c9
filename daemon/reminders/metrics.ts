/** Figures about reminders. */
import type { Figure, Sample } from '../base/metrics.ts'
import type { ReminderQueue } from './queue.ts'

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
