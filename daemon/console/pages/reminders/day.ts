/** The reminders of a day, all pages of them, kept up by what happens; and what each is called. */
import type { ReminderListView, ReminderView } from '../../../schema/reminders.ts'
import type { LiveEvent } from '../../frame/live.ts'
import { thing, type Thing } from '../../frame/state.ts'
import { dateFormat, dayOf } from '../../pieces/time.ts'

export const columns = ['confirmed', 'open', 'toMove', 'canceled', 'unreached'] as const
export type Column = (typeof columns)[number]

const ofStatus: Readonly<Partial<Record<ReminderView['status'], Column>>> = {
  ...{ confirmed: 'confirmed', canceled: 'canceled', reschedule: 'toMove' },
  ...{ scheduled: 'open', dialing: 'open', 'in-call': 'open', 'waiting-retry': 'open' },
}

/** Of the five in which the desk counts them: whatever else became of a reminder, the patient was not reached. */
export const columnOf = ({ status }: Pick<ReminderView, 'status'>): Column => ofStatus[status] ?? 'unreached'

const dayMs = 86_400_000

/** YYYY-MM-DD. */
export const shifted = (day: string, by: number): string => new Date(Date.parse(day) + by * dayMs).toISOString().slice(0, 10)

export function dayText(day: string, form: 'short' | 'full' = 'full'): string {
  const options = form === 'full' ? ({ dateStyle: 'full' } as const) : ({ weekday: 'long' } as const)
  return dateFormat({ ...options, timeZone: 'UTC' }).format(Date.parse(`${day}T12:00:00Z`))
}

export interface DayOfReminders {
  /** The first page: what a panel waits for. */
  readonly list: Thing<ReminderListView>
  /** In the order of the appointments. */
  readonly items: readonly ReminderView[]
  readonly isWhole: boolean
}

/** A day with more than one page is read page by page. */
export function readDay(day: string): DayOfReminders {
  const list = page(day, '')
  const items: ReminderView[] = []
  for (let now: Thing<ReminderListView> = list; ;) {
    const { items: more, nextCursor } = now.data.value ?? { items: [], nextCursor: '' }
    items.push(...more)
    if (!nextCursor) return { list, items, isWhole: nextCursor === null }
    now = page(day, nextCursor)
  }
}

function page(day: string, cursor: string): Thing<ReminderListView> {
  const path = `/api/reminders?day=${day}&limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`
  return thing<ReminderListView>(path, ['reminders'], (now, event) => folded(now, event, day))
}

function folded(now: ReminderListView, { data }: LiveEvent, day: string): ReminderListView | undefined {
  const id = (data.reminderId ?? data.id) as string
  const at = now.items.findIndex(({ reminderId }) => reminderId === id)
  const isHere = data.gone !== true && dayOf(Date.parse(data.appointmentAt as string)) === day
  // A new one has its place in the order; the box knows it.
  if (at === -1) return isHere ? undefined : now
  return { ...now, items: isHere ? now.items.with(at, data as ReminderView) : now.items.filter((_, n) => n !== at) }
}
