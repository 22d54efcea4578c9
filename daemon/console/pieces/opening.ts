/**
 * Opening times as a form has them: seven days and a list of dates. Days that are alike are written as one, under the names that they had
 * where those still hold.
 */
import type { OpeningTimes } from '../../schema/extensions.ts'
import { words } from '../frame/words.ts'

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Day = (typeof days)[number]
export type Week = Readonly<Record<Day, readonly string[]>>

/** One date or several, with the times of these days; without any it is closed. */
export interface SpecialDay {
  /** YYYY-MM-DD. */
  readonly first: string
  readonly last: string
  readonly times: readonly string[]
}

function daysOf(name: string): readonly Day[] {
  const [first = '', last = first] = name.split('-')
  const [from, to] = [days.indexOf(first as Day), days.indexOf(last as Day)]
  if (from < 0 || to < 0) return []
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, n) => days[(from + n) % 7]!)
}

export function weekOf(open: OpeningTimes['open']): Week {
  const week = Object.fromEntries(days.map((day) => [day, [] as readonly string[]])) as Record<Day, readonly string[]>
  for (const [name, times] of Object.entries(open)) for (const day of daysOf(name)) week[day] = times
  return week
}

const alike = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join()

export function openOf(week: Week, before: OpeningTimes['open']): OpeningTimes['open'] {
  const open: Record<string, string[]> = {}
  const left = new Set<Day>(days.filter((day) => week[day].length > 0))
  for (const name of Object.keys(before)) {
    const named = daysOf(name)
    const [first] = named
    if (first === undefined || !named.every((day) => left.has(day) && alike(week[day], week[first]))) continue
    open[name] = [...week[first]]
    for (const day of named) left.delete(day)
  }
  for (const day of days) {
    if (!left.has(day)) continue
    let last = day
    for (const next of days.slice(days.indexOf(day) + 1)) {
      if (!left.has(next) || !alike(week[next], week[day])) break
      last = next
    }
    const name = last === day ? day : `${day}-${last}`
    open[name] = [...week[day]]
    for (const one of daysOf(name)) left.delete(one)
  }
  return open
}

const datesOf = (text: string): Pick<SpecialDay, 'first' | 'last'> => {
  const [first = '', last = first] = text.split('/')
  return { first, last }
}

/** By date. */
export function specialDaysOf({ closedOn, special }: Pick<OpeningTimes, 'closedOn' | 'special'>): readonly SpecialDay[] {
  const all = [
    ...closedOn.map((text) => ({ ...datesOf(text), times: [] })),
    ...Object.entries(special).map(([text, times]) => ({ ...datesOf(text), times })),
  ]
  return all.toSorted((a, b) => (a.first < b.first ? -1 : 1))
}

/** A day that is closed stays where it was written, in the order that it had: what is new comes after. */
export function datesIn(
  list: readonly SpecialDay[],
  before: Pick<OpeningTimes, 'closedOn' | 'special'>,
): Pick<OpeningTimes, 'closedOn' | 'special'> {
  const nameOf = ({ first, last }: SpecialDay): string => (last === '' || last === first ? first : `${first}/${last}`)
  const inSpecial = (one: SpecialDay): boolean => one.times.length > 0 || before.special[nameOf(one)]?.length === 0
  const closed = list.filter((one) => !inSpecial(one)).map(nameOf)
  const stay = before.closedOn.filter((date) => closed.includes(date))
  return {
    closedOn: [...stay, ...closed.filter((date) => !stay.includes(date))],
    special: Object.fromEntries(list.filter(inSpecial).map((one) => [nameOf(one), [...one.times]])),
  }
}

/** `08:30-12:30` as two fields; midnight at the end is 00:00 there. */
export function rangeOf(text: string): { readonly from: string; readonly to: string } {
  const [from = '', to = ''] = text.split('-')
  return { from, to: to === '24:00' ? '00:00' : to }
}

export const rangeText = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  `${from}-${to === '00:00' ? '24:00' : to}`

/** What the form says. */
export const say = words({
  en: {
    addHalfDay: 'Half day',
    addHoliday: 'Holiday',
    addTime: 'Time',
    addTimeOf: 'Add a time on {day}',
    closed: 'closed',
    firstDay: 'First day',
    from: 'From',
    holidays: 'Holidays and other days',
    holidaysHint: 'They come before the week.',
    noHolidays: 'No holidays yet. Add one: a day that is closed, or a half day with its own times.',
    removeDay: 'Remove {day}',
    removeTime: 'Remove {time} on {day}',
    to: 'To',
    until: 'until',
    week: 'Week',
  },
  es: {
    addHalfDay: 'Media jornada',
    addHoliday: 'Festivo',
    addTime: 'Horario',
    addTimeOf: 'Añadir un horario, {day}',
    closed: 'cerrado',
    firstDay: 'Primer día',
    from: 'Desde',
    holidays: 'Festivos y otros días',
    holidaysHint: 'Prevalecen sobre la semana.',
    noHolidays: 'Todavía sin festivos. Añada uno: un día cerrado, o una media jornada con su propio horario.',
    removeDay: 'Quitar {day}',
    removeTime: 'Quitar {time}, {day}',
    to: 'Hasta',
    until: 'hasta',
    week: 'Semana',
  },
})
