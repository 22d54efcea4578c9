/**
 * Whether it is open, and until when. Pure. What the clock on the wall of the site shows decides: a time that does not exist in the
 * night the clock is put forward does not come, and one that comes twice in the night it is put back counts both times. An interval
 * over midnight belongs to the day on which it begins.
 */
import type { HoursConfig } from '../../schema/config/pbx-hours.ts'
import { boundariesOn, isOpenOn, readCalendar, readDates, type Calendar } from '../../schema/opening.ts'
import { wallOf, type Wall } from './zone.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
/** Further ahead nobody asks for the next change; the rules of time zones are not known either. */
const horizonDays = 400

export interface Opening {
  readonly wall: Wall
  readonly calendar: Calendar
}

/** Of a configuration that was checked. `zone`: the IANA name of one that exists. */
export function openingOf(
  { open, closedOn, special }: Pick<HoursConfig, 'open' | 'closedOn'> & Partial<Pick<HoursConfig, 'special'>>,
  zone: string,
): Opening {
  return { wall: wallOf(zone), calendar: readCalendar(open, closedOn, special) }
}

/** @param at milliseconds since the epoch */
export function isOpen({ wall, calendar }: Opening, at: number): boolean {
  const local = at + wall.offsetAt(at)
  const day = Math.floor(local / dayMs)
  return isOpenOn(calendar, day, Math.floor((local - day * dayMs) / minuteMs))
}

/** Times of the date of an instant as the configuration writes them under `special`; null where it has none. */
export function specialAt(special: HoursConfig['special'], at: number, zone: string): string[] | null {
  const day = Math.floor((at + wallOf(zone).offsetAt(at)) / dayMs)
  const found = Object.entries(special).find(([dates]) => {
    const range = readDates(dates)
    return range !== undefined && day >= range.first && day <= range.last
  })
  return found?.[1] ?? null
}

/** The first instant after `at` from which it is otherwise; null where that is further than a year ahead. */
export function nextChange(opening: Opening, at: number): number | null {
  const now = isOpen(opening, at)
  const { wall } = opening
  const today = Math.floor((at + wall.offsetAt(at)) / dayMs)
  for (let day = today; day <= today + horizonDays; day += 1) {
    // Of two days: a clock that is put back at midnight shows the end of a day after the beginning of the next.
    const instants = [...instantsOf(opening, day), ...instantsOf(opening, day + 1)].toSorted((a, b) => a - b)
    const found = instants.find((instant) => instant > at && isOpen(opening, instant) !== now)
    if (found !== undefined) return found
  }
  return null
}

/** Instants of a day at which it may change. */
function instantsOf({ wall, calendar }: Opening, day: number): number[] {
  const midnight = day * dayMs
  const shown = boundariesOn(calendar, day).flatMap((minute) => wall.instantsOf(midnight + minute * minuteMs))
  // Whatever the zone, the day lies in between.
  const around = wall.changesBetween(midnight - 15 * 3_600_000, midnight + dayMs + 15 * 3_600_000)
  return [...shown, ...around.filter((instant) => Math.floor((instant + wall.offsetAt(instant)) / dayMs) === day)]
}
