/**
 * Appointment reminders, put together: the desk that accepts them, the queue that calls, and what is shown of them. The daemon
 * makes one of these, gives its parts to the routes, and starts and stops it with the calls.
 */
import type { Clock } from '../base/clock.ts'
import { wallTime } from '../base/day.ts'
import { ours, type Ours } from '../base/for-log.ts'
import type { Log } from '../base/log.ts'
import type { AddressPolicy } from '../outbox/address.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createReach } from '../numbers/reach.ts'
import type { Config } from '../schema/config.ts'
import type { Store, Tables } from '../store/store.ts'
import type { ReminderCaller, ReminderTexts } from './caller.ts'
import { ReminderLedger } from './ledger.ts'
import { ReminderQueue } from './queue.ts'
import { reminderSettings, isOldContact } from './settings.ts'
import { ReminderDesk } from './submit.ts'
import { removeEnded, removeOld } from '../store/remove-old.ts'
import type { ReminderRow } from '../store/tables.ts'
import { referenceKey, sameKey, timeKey } from './look.ts'
import { callingNow } from './calling.ts'
import type { ReminderCallingView } from '../schema/reminders.ts'
import { dayAt } from './zone.ts'

/** Removes finished reminders past their retention, their keys, and counts of calls that no limit looks at any more. */
interface SweepOptions {
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

export interface RemindersOptions {
  readonly config: Config
  readonly store: Store
  readonly outbox: Outbox
  readonly caller: ReminderCaller
  readonly texts: ReminderTexts
  readonly clock: Clock
  readonly log: Log
  /** Where callbacks may go. */
  readonly policy: AddressPolicy
  /** Whether the time of day can be believed; until then nobody is rung. */
  readonly clockTrusted?: () => boolean
}

export interface ReminderCondition {
  readonly ok: boolean
  /** Without names and numbers; '' when all is well. */
  readonly reason: string
  /** Of numbers and times of the box itself. */
  readonly detail: Ours
}

export interface Reminders {
  readonly desk: ReminderDesk
  readonly queue: ReminderQueue
  /** `work` runs in the transaction that writes the outcome of a reminder. */
  onEnd(work: (row: ReminderRow) => void): void
  /** IANA name: days are days there. */
  readonly timeZone: string
  condition(): ReminderCondition
  /** Whether calls are made now, and what is missing. */
  calling(): ReminderCallingView
  /** Removes what is past its time; how many reminders. */
  sweep(): Promise<number>
  /** Takes up what the last run of the daemon left; after calls can be placed. */
  start(): void
  /** No new calls; before the calls are drained. */
  drain(): void
  /** After the calls are drained and before the outbox and the store are stopped. */
  stop(): Promise<void>
}

const dayMs = 86_400_000
const noLineAlarmMs = 15 * 60_000

export function createReminders(options: RemindersOptions): Reminders {
  const { config, store, outbox, caller, texts, clock, log, policy, clockTrusted = () => true } = options
  const settings = reminderSettings(config)
  const ledger = new ReminderLedger({ settings, store, outbox, texts, clock, log })
  const queue = new ReminderQueue({ settings, store, ledger, caller, clock, log, clockTrusted })
  const reach = createReach(config)
  const desk = new ReminderDesk({ settings, store, clock, ledger, queue, policy, country: config.site.country, reach })
  return {
    desk,
    queue,
    onEnd: (work) => ledger.onEnd(work),
    timeZone: settings.timeZone,
    condition() {
      const { noLineSince, waiting } = queue
      const stuck = noLineSince !== null && clock.now() - noLineSince > noLineAlarmMs
      const next = queue.nextAt()
      const untrusted = waiting > 0 && !clockTrusted()
      if (untrusted) return { ok: false, reason: 'reminders wait for a clock that is right', detail: ours(`${waiting} wait`) }
      const detail =
        waiting === 0 ? 'none waits' : `${waiting} wait${next === null ? '' : `, the next for ${wallTime(next, settings.timeZone)}`}`
      return {
        ok: !stuck,
        reason: stuck ? 'reminders wait for a line' : '',
        detail: ours(stuck ? `${detail}; no line since ${wallTime(noLineSince, settings.timeZone)}` : detail),
      }
    },
    calling: () => callingNow({ settings, store, queue, clock, clockTrusted }),
    sweep: () => sweepReminders({ store, clock, keepMs: config.reminders.keepDays * dayMs, timeZone: settings.timeZone }),
    start: () => queue.start(),
    drain: () => queue.drain(),
    stop: () => queue.stop(),
  }
}
