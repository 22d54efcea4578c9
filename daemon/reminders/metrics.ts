/** Figures about reminders. */
import type { Figure, Sample } from '../base/metrics.ts'
import type { ReminderQueue } from './queue.ts'
import { callKeyAt } from '../calls/new-call.ts'
import { ApiError } from '../base/errors.ts'
import { forgetCalls, forgetRepeats, keysOf, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import { idPattern } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import { isTerminal } from './job.ts'
import { removeReminder } from './reminders.ts'

/** Deletes a reminder with its calls, its texts and everything that repeats it. */
const reminderApplication = 'internal:reminders'
const daySlackMs = 86_400_000

/** Of a finished reminder. Throws ApiError: reminder_unknown, being_sent. */
export function eraseReminder(store: Store, eraseText: Eraser): Eraser {
  const { tables } = store
  return async (reminderId, record) => {
    const row = idPattern.test(reminderId) ? tables.reminders.get(reminderId) : undefined
    if (row === undefined) throw new ApiError('reminder_unknown', 'There is no reminder with that id.')
    if (!isTerminal(row)) throw new ApiError('being_sent', 'This reminder has not ended: cancel it first.')
    const texts = await keysOf(tables.sms, ({ subject }) => subject === `reminder:${reminderId}`)
    for (const messageId of texts) await eraseText(messageId, () => undefined)
    const mine = (call: { endpointId: string; params?: { readonly [name: string]: string } }): boolean =>
      call.endpointId === reminderApplication && call.params?.['reminderId'] === reminderId
    const calls = await keysOf(tables.calls, mine, callKeyAt(row.createdAt - daySlackMs))
    const repeats = await repeatsOf(store, reminderId, ({ subject }) => subject === reminderId)
    await store.transaction(() => {
      removeReminder(tables, row)
      forgetCalls(tables, calls)
      forgetRepeats(tables, reminderId, repeats)
      record(reminderId)
    })
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
