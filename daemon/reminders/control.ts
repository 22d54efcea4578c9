/** What the technician's socket does with reminders. */
import { ApiError } from '../errors.ts'
import { idPattern } from '../ids.ts'
import type { Store } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import type { Clock } from '../clock.ts'
import { lookUp } from './look.ts'
import type { ReminderQueue } from './queue.ts'
import type { ReminderSettings } from './settings.ts'
import { reminderView, type ReminderView } from './view.ts'
import { dayAt, isDay } from './zone.ts'

export interface ReminderControl {
  /** Those of appointments on a day of the site, in their order; today where none is given. Throws ApiError `validation_failed`. */
  list(options: { day?: string; status?: string; limit: number }): { day: string; timeZone: string; reminders: readonly ReminderView[] }
  /** `idOrPart`: an id, or a part of one that only one reminder has; `last` for the newest. Throws ApiError `reminder_unknown`. */
  show(idOrPart: string): ReminderView
  /** Throws ApiError: reminder_unknown, already_finished, call_live, validation_failed. */
  /** `alongside`, here and below, runs in the transaction of what is written. */
  callNow(idOrPart: string, alongside?: (reminderId: string) => void): Promise<ReminderView>
  /** Throws ApiError: reminder_unknown, already_finished. */
  cancel(idOrPart: string, alongside?: (reminderId: string) => void): Promise<ReminderView>
  /** Numbers that asked not to be called with reminders. */
  optOuts(): readonly { number: string; since: number }[]
  /** The number may be called again; false where it never asked. */
  allow(number: string, alongside?: () => void): Promise<boolean>
}

export interface ReminderControlOptions {
  readonly store: Store
  readonly queue: ReminderQueue
  readonly settings: ReminderSettings
  readonly clock: Clock
}

/** Rows looked at for a part of an id. */
const searched = 2000

export function reminderControl({ store, queue, settings, clock }: ReminderControlOptions): ReminderControl {
  const { reminders, reminderOptOuts } = store.tables
  const zone = settings.timeZone
  const find = (text: string): ReminderRow => {
    const exact = idPattern.test(text) ? reminders.get(text) : undefined
    if (exact !== undefined) return exact
    const { rows } = lookUp(store, { zone, limit: text === 'last' ? 1 : searched })
    const found = text === 'last' ? rows : rows.filter((row) => text.length >= 4 && row.reminderId.includes(text))
    if (found.length === 1) return found[0]!
    throw new ApiError(
      'reminder_unknown',
      found.length === 0 ? `There is no reminder ${text}: see "pbx reminders list".` : `More than one reminder has ${text} in its id.`,
    )
  }
  return {
    list({ day = dayAt(clock.now(), zone), status, limit }) {
      if (!isDay(day)) throw new ApiError('validation_failed', `"${day}" is not a day; write it as 2026-03-02.`)
      const { rows } = lookUp(store, { day, zone, limit, ...(status === undefined ? {} : { status }) })
      return { day, timeZone: zone, reminders: rows.map(reminderView) }
    },
    show: (text) => reminderView(find(text)),
    async callNow(text, alongside) {
      const { reminderId } = find(text)
      return reminderView(await queue.callNow(reminderId, () => alongside?.(reminderId)))
    },
    async cancel(text, alongside) {
      const { reminderId } = find(text)
      if (!(await queue.cancel(reminderId, () => alongside?.(reminderId))))
        throw new ApiError('already_finished', 'This reminder is finished already.')
      return reminderView(find(reminderId))
    },
    optOuts: () => [...reminderOptOuts.range()].map(({ value }) => value),
    allow: (number, alongside) =>
      store.transaction(() => {
        if (!reminderOptOuts.remove(number)) return false
        alongside?.()
        return true
      }),
  }
}
