/**
 * The start of the daemon: calls that a crash cut off, times that passed while the box was off, and plans that were made under
 * other settings or other rules of time zones.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import type { ReminderCaller } from './caller.ts'
import { isTerminal, isUnderWay } from './job.ts'
import { planCall, type Planner } from './due.ts'
import { settingsFingerprint } from './settings.ts'

export interface RecoverOptions extends Planner {
  readonly store: Store
  readonly caller: ReminderCaller
  readonly clock: Clock
  readonly log: Log
}

const fingerprintKey = 'reminders:plan'

/** Pending reminders, in the order in which they are taken up: first those whose time is still to come, so that their slots are known as taken; each group oldest first. */
export function inOrderOfRecovery(rows: readonly ReminderRow[], now: number): ReminderRow[] {
  const open = rows.filter((row) => !isTerminal(row)).toSorted((a, b) => (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0))
  return [...open.filter((row) => (row.nextAttemptAt ?? 0) >= now), ...open.filter((row) => (row.nextAttemptAt ?? 0) < now)]
}

/** Resolves, when they are durable, with the rows as they are then; the slots of those that wait are taken. `last`: these are all. */
export async function recoverReminders(options: RecoverOptions, rows: readonly ReminderRow[], last: boolean): Promise<ReminderRow[]> {
  const { store, settings, ledger, bookings, log } = options
  const { meta } = store.tables
  const fingerprint = settingsFingerprint(settings)
  const taken: number[] = []
  try {
    const after = await ledger.transaction(() => {
      const changed = meta.get(fingerprintKey) !== fingerprint
      if (changed && last) meta.put(fingerprintKey, fingerprint)
      if (changed && last && rows.length > 0) log.info('reminders are planned again: the hours or the time zones have changed')
      return rows.map((row) => {
        const planned = plannedAnew(options, row, changed)
        if (planned.nextAttemptAt !== null) {
          bookings.take(planned.nextAttemptAt)
          taken.push(planned.nextAttemptAt)
        }
        return planned
      })
    })
    return after
  } catch (error) {
    for (const at of taken) bookings.release(at)
    throw error
  }
}

/** Inside a transaction. */
function plannedAnew(options: RecoverOptions, known: ReminderRow, changed: boolean): ReminderRow {
  const { store, ledger, caller, clock } = options
  let row = store.tables.reminders.get(known.reminderId) ?? known
  if (isUnderWay(row)) row = ledger.step(row, { type: 'restart', fate: caller.fate(row.lastCallId) })
  if (isTerminal(row)) return row
  const now = clock.now()
  const missed = (row.nextAttemptAt ?? 0) < now
  if (!missed && !(changed && row.state === 'scheduled')) return row
  const at = planCall(options, row, now, missed || row.attempts > 0)
  return ledger.step(row, at === null ? { type: 'give-up', outcome: 'expired', reason: 'too-late' } : { type: 'plan', at })
}
