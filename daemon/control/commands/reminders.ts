/** `pbx reminders`: the list of a day, one of them, call now, take back, and numbers that asked not to be called. */
import { ApiError } from '../../errors.ts'
import { maskNumber } from '../../log.ts'
import { reminderStatuses } from '../../schema/reminders.ts'
import { limitOf, listed, type ControlRoute } from '../route.ts'
import type { ControlServices, ReminderServicesView } from '../services.ts'

function remindersOf(services: ControlServices): ReminderServicesView {
  if (services.reminders === undefined) throw new ApiError('not_found', 'This daemon has no reminders.')
  return services.reminders
}

export const reminderRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/reminders',
    deed: 'reminder.list',
    answer(services, { query, deed }) {
      const status = query.get('status')
      const day = query.get('day')
      if (status !== null && !reminderStatuses.includes(status)) {
        throw new ApiError('validation_failed', `What a reminder is, is one of ${reminderStatuses.join(', ')}.`)
      }
      const found = remindersOf(services).list({
        ...(day === null ? {} : { day }),
        ...(status === null ? {} : { status }),
        limit: limitOf(query, 500),
      })
      deed.about(found.day, found.reminders.length)
      return found
    },
  },
  {
    method: 'GET',
    path: '/reminder-opt-outs',
    deed: 'optout.list',
    answer: (services, { deed }) => listed(deed, remindersOf(services).optOuts()),
  },
  {
    method: 'DELETE',
    path: '/reminder-opt-outs/:number',
    deed: 'optout.remove',
    async answer(services, { params: { number = '' }, deed }) {
      if (!(await remindersOf(services).allow(number, () => deed.record(maskNumber(number)))))
        throw new ApiError('not_found', `${number} did not ask not to be called.`)
      return { number }
    },
  },
  {
    method: 'GET',
    path: '/reminders/:id',
    deed: 'reminder.read',
    answer(services, { params: { id = '' }, deed }) {
      const reminder = remindersOf(services).show(id)
      deed.about(reminder.reminderId)
      return reminder
    },
  },
  {
    method: 'POST',
    path: '/reminders/:id/call',
    deed: 'reminder.call',
    answer: (services, { params: { id = '' }, deed }) => remindersOf(services).callNow(id, (reminderId) => deed.record(reminderId)),
  },
  {
    method: 'DELETE',
    path: '/reminders/:id',
    deed: 'reminder.cancel',
    answer: (services, { params: { id = '' }, deed }) => remindersOf(services).cancel(id, (reminderId) => deed.record(reminderId)),
  },
]
