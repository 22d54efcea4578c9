/** The reminders of the next day with appointments, counted. */
import type { ReminderDay } from '../schema/desk.ts'
import type { ReminderRow } from '../store/tables.ts'
import type { Store } from '../store/store.ts'
import { lookUp } from './look.ts'
import { statusOf } from './view.ts'
import { addDays, dayAt } from './zone.ts'

/** A long weekend with its holidays. */
const mostDays = 7
const mostCounted = 2000

/** Of the first day after today that has any; of tomorrow where none has. */
export function nextDay(store: Store, zone: string, now: number): ReminderDay {
  const today = dayAt(now, zone)
  for (let ahead = 1; ahead <= mostDays; ahead += 1) {
    const day = addDays(today, ahead)
    const { rows } = lookUp(store, { day, zone, limit: mostCounted })
    if (rows.length > 0) return { day, counts: counted(rows) }
  }
  return { day: addDays(today, 1), counts: counted([]) }
}

function counted(rows: readonly ReminderRow[]): ReminderDay['counts'] {
  const counts = { total: rows.length, confirmed: 0, open: 0, canceled: 0, rescheduled: 0, unreached: 0 }
  for (const row of rows) counts[columnOf(row)] += 1
  return counts
}

function columnOf(row: ReminderRow): Exclude<keyof ReminderDay['counts'], 'total'> {
  switch (statusOf(row)) {
    case 'confirmed':
    case 'canceled':
      return row.outcome === 'confirmed' ? 'confirmed' : 'canceled'
    case 'reschedule':
      return 'rescheduled'
    case 'scheduled':
    case 'dialing':
    case 'in-call':
    case 'waiting-retry':
      return 'open'
    default:
      return 'unreached'
  }
}
