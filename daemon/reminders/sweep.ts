/** Removes finished reminders past their retention, their keys, and counts of calls that no limit looks at any more. */
import type { Clock } from '../base/clock.ts'
import { removeEnded, removeOld } from '../store/remove-old.ts'
import type { Store, Tables } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import { referenceKey, sameKey, timeKey } from './look.ts'
import { isOldContact } from './limits.ts'
import { dayAt } from './zone.ts'

export interface SweepOptions {
  readonly store: Store
  readonly clock: Clock
  readonly keepMs: number
  readonly timeZone: string
}

/** How many reminders. */
export async function sweepReminders({ store, clock, keepMs, timeZone }: SweepOptions): Promise<number> {
  const { tables } = store
  const now = clock.now()
  const today = dayAt(now, timeZone)
  const removed = await removeEnded(store, tables.reminders, now - keepMs, (row) => removeReminder(tables, row))
  await removeOld(store, tables.reminderContacts, { isOld: (_, key) => isOldContact(key, today) })
  return removed
}

/** Inside a transaction: a reminder and the keys that lead to it. How often its number was called is kept for the limits. */
export function removeReminder({ reminders, reminderKeys }: Tables, row: ReminderRow): void {
  reminders.remove(row.reminderId)
  // A key may lead to a later reminder meanwhile.
  for (const key of [sameKey(row), referenceKey(row), timeKey(row)]) {
    if (key !== null && reminderKeys.get(key)?.reminderId === row.reminderId) reminderKeys.remove(key)
  }
}
