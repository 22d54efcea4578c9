/** `pbx reminders`: the list of a day, one of them, call now, take back, and numbers that asked not to be called. */
import { ApiError } from '../../errors.ts'
import { reminderStatuses } from '../../schema/reminders.ts'
import { limitOf, type ControlRoute } from '../route.ts'
import type { ControlServices, ReminderServicesView } from '../services.ts'

function remindersOf(services: ControlServices): ReminderServicesView {
  if (services.reminders === undefined) throw new ApiError('not_found', 'This daemon has no reminders.')
  return services.reminders
}

export const reminderRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/reminders',
    answer(services, { query }) {
      const status = query.get('status')
      const day = query.get('day')
      if (status !== null && !reminderStatuses.includes(status)) {
        throw new ApiError('validation_failed', `What a reminder is, is one of ${reminderStatuses.join(', ')}.`)
      }
      return remindersOf(services).list({
        ...(day === null ? {} : { day }),
        ...(status === null ? {} : { status }),
        limit: limitOf(query, 500),
      })
    },
  },
  { method: 'GET', path: '/reminder-opt-outs', answer: (services) => remindersOf(services).optOuts() },
  {
    method: 'DELETE',
    path: '/reminder-opt-outs/:number',
    async answer(services, { params: { number = '' } }) {
      if (!(await remindersOf(services).allow(number))) throw new ApiError('not_found', `${number} did not ask not to be called.`)
      return { number }
    },
  },
  { method: 'GET', path: '/reminders/:id', answer: (services, { params: { id = '' } }) => remindersOf(services).show(id) },
  { method: 'POST', path: '/reminders/:id/call', answer: (services, { params: { id = '' } }) => remindersOf(services).callNow(id) },
  { method: 'DELETE', path: '/reminders/:id', answer: (services, { params: { id = '' } }) => remindersOf(services).cancel(id) },
]
