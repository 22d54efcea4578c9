/** Removes reminders that are over and past their time, their keys, and counts of calls that no limit looks at any more. */
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store, Tables } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import { isOver } from './job.ts'
import { referenceKey, sameKey, timeKey } from './keys.ts'
import { isOldContact } from './limits.ts'
import { dayAt } from './zone.ts'

export interface PurgeOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly keepMs: number
  readonly timeZone: string
}

/** Removed at once; the rest follows at the next sweep. */
const mostRows = 500

export function purgeReminders({ store, clock, log, keepMs, timeZone }: PurgeOptions): () => Promise<void> {
  const { reminders, reminderContacts } = store.tables
  return async () => {
    const now = clock.now()
    const old: ReminderRow[] = []
    for (const { value } of reminders.range()) {
      if (isOver(value) && now - (value.completedAt ?? value.createdAt) > keepMs) old.push(value)
      if (old.length === mostRows) break
    }
    const today = dayAt(now, timeZone)
    const contacts: string[] = []
    for (const { key } of reminderContacts.range()) {
      if (isOldContact(key, today)) contacts.push(key)
      if (contacts.length === mostRows) break
    }
    if (old.length + contacts.length === 0) return
    await store.transaction(() => {
      for (const row of old) removeReminder(store.tables, row)
      for (const key of contacts) reminderContacts.remove(key)
    })
    log.info({ reminders: old.length }, 'removed reminders past their time')
  }
}

/** Inside a transaction: a reminder and the keys that lead to it. How often its number was called is kept for the limits. */
export function removeReminder({ reminders, reminderKeys }: Tables, row: ReminderRow): void {
  reminders.remove(row.reminderId)
  // A key may lead to a later reminder meanwhile.
  for (const key of [sameKey(row), referenceKey(row), timeKey(row)]) {
    if (key !== null && reminderKeys.get(key)?.reminderId === row.reminderId) reminderKeys.remove(key)
  }
}
