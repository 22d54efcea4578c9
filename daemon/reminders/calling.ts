/** Whether reminder calls are made now, until when, and what is missing: for the people who wait for their outcomes. */
import { isoTime, type Clock } from '../base/clock.ts'
import type { ReminderCallingView } from '../schema/reminders.ts'
import type { Store } from '../store/store.ts'
import { lookUp } from './look.ts'
import type { ReminderQueue } from './queue.ts'
import type { ReminderSettings } from './settings.ts'
import { openSpans, isOpen, spanOf } from './window.ts'
import { addDays, dayAt, instantOf, weekdayOf } from './zone.ts'

export interface CallingOptions {
  readonly settings: ReminderSettings
  readonly store: Store
  readonly queue: Pick<ReminderQueue, 'waiting' | 'calling' | 'nextAt' | 'noLineSince'>
  readonly clock: Pick<Clock, 'now'>
  readonly clockTrusted: () => boolean
}

/** By then a booking system has posted the appointments of the next working day. */
const postedByMinute = 15 * 60
const weekMs = 7 * 86_400_000
/** The weeks by which it is known on which days of the week there are appointments. */
const weeksLooked = 4

export function callingNow({ settings, store, queue, clock, clockTrusted }: CallingOptions): ReminderCallingView {
  const { window, timeZone } = settings
  const now = clock.now()
  const today = dayAt(now, timeZone)
  const open = isOpen(now, timeZone, window)
  const [next] = open ? [] : openSpans(now, now + weekMs, timeZone, window)
  return {
    asOf: isoTime(now),
    clockTrusted: clockTrusted(),
    window: { open, until: isoTime((open ? spanOf(today, timeZone, window)?.end : next?.start) ?? null) },
    waiting: queue.waiting,
    calling: queue.calling,
    nextAt: isoTime(queue.nextAt()),
    noLineSince: isoTime(queue.noLineSince),
    missingDay: now >= instantOf(today, postedByMinute, timeZone) ? missingDay(store, settings, today) : null,
  }
}

/** The next working day, where no appointment of it was posted. */
function missingDay(store: Store, { window, timeZone }: ReminderSettings, today: string): string | null {
  const has = (day: string): boolean => lookUp(store, { day, zone: timeZone, limit: 1 }).rows.length > 0
  const isKnown = lookUp(store, { zone: timeZone, limit: 1 }).rows.length > 0
  const worksOn = (day: string): boolean =>
    window.days.includes(weekdayOf(day)) &&
    (!isKnown || Array.from({ length: weeksLooked }, (_, n) => addDays(day, -7 * (n + 1))).some((before) => has(before)))
  for (let ahead = 1; ahead <= 7; ahead += 1) {
    const day = addDays(today, ahead)
    if (has(day)) return null
    if (worksOn(day)) return day
  }
  return null
}
