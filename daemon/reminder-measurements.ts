/** Figures of reminders for Prometheus, and where each is read. */
import type { Metrics, Sample } from './metrics.ts'
import type { ReminderQueue } from './reminders/queue.ts'

export function measureReminders(metrics: Metrics, queue: ReminderQueue): void {
  metrics.observed('pbx_reminders', 'Reminders that are not over yet.', 'gauge', () =>
    (['scheduled', 'dialing', 'in-call', 'waiting-retry'] as const).map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
  )
  metrics.observed('pbx_reminders_calling', 'Reminder calls in progress.', 'gauge', () => [[{}, queue.calling]])
  metrics.observed('pbx_reminders_ended_total', 'Reminders that are over, by outcome.', 'counter', () => queue.figures.ended())
  metrics.observed('pbx_reminder_attempts_total', 'Calls made for reminders, by what they came to.', 'counter', () =>
    queue.figures.attempts(),
  )
}
