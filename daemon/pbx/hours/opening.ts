/**
 * Whether it is open, and until when. Pure. What the clock on the wall of the site shows decides: a time that does not exist in the
 * night the clock is put forward does not come, and one that comes twice in the night it is put back counts both times. An interval
 * over midnight belongs to the day on which it begins.
 */
import type { HoursConfig } from '../../schema/config-pbx-hours.ts'
import { readDates, readDays, readInterval, type DateRange, type Interval } from '../../schema/opening.ts'
import { wallOf, type Wall } from './zone.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
/** Further ahead nobody asks for the next change; the rules of time zones are not known either. */
const horizonDays = 400

export interface Opening {
  readonly wall: Wall
  /** Monday first. */
  readonly week: readonly (readonly Interval[])[]
  readonly closedOn: readonly DateRange[]
}

/** Of a configuration that was checked: what cannot be read is left out. `zone`: the IANA name of one that exists. */
export function openingOf({ open, closedOn }: Pick<HoursConfig, 'open' | 'closedOn'>, zone: string): Opening {
  const week: Interval[][] = Array.from({ length: 7 }, () => [])
  for (const [days, times] of Object.entries(open))
    for (const day of readDays(days) ?? []) week[day]!.push(...times.flatMap((text) => readInterval(text) ?? []))
  return { wall: wallOf(zone), week, closedOn: closedOn.flatMap((text) => readDates(text) ?? []) }
}

/** @param at milliseconds since the epoch */
export function isOpen(opening: Opening, at: number): boolean {
  const local = at + opening.wall.offsetAt(at)
  const day = Math.floor(local / dayMs)
  if (isClosedOn(opening, day)) return false
  const minute = Math.floor((local - day * dayMs) / minuteMs)
  return (
    intervalsOf(opening, day).some(({ from, to }) => minute >= from && (minute < to || to < from)) ||
    intervalsOf(opening, day - 1).some(({ from, to }) => to < from && minute < to)
  )
}

/** The first instant after `at` from which it is otherwise; null where that is further than a year ahead. */
export function nextChange(opening: Opening, at: number): number | null {
  const now = isOpen(opening, at)
  const { wall } = opening
  const today = Math.floor((at + wall.offsetAt(at)) / dayMs)
  for (let day = today; day <= today + horizonDays; day += 1) {
    // Of two days: a clock that is put back at midnight shows the end of a day after the beginning of the next.
    const instants = [...boundariesOf(opening, day), ...boundariesOf(opening, day + 1)].toSorted((a, b) => a - b)
    const found = instants.find((instant) => instant > at && isOpen(opening, instant) !== now)
    if (found !== undefined) return found
  }
  return null
}

/** Instants of a day at which it may change. */
function boundariesOf(opening: Opening, day: number): number[] {
  const { wall } = opening
  const midnight = day * dayMs
  const overMidnight = intervalsOf(opening, day - 1).filter(({ from, to }) => to < from)
  const minutes = new Set([0, ...[...intervalsOf(opening, day), ...overMidnight].flatMap(({ from, to }) => [from, to])])
  const shown = [...minutes].flatMap((minute) => wall.instantsOf(midnight + minute * minuteMs))
  // Whatever the zone, the day lies in between.
  const around = wall.changesBetween(midnight - 15 * 3_600_000, midnight + dayMs + 15 * 3_600_000)
  return [...shown, ...around.filter((instant) => Math.floor((instant + wall.offsetAt(instant)) / dayMs) === day)]
}

function intervalsOf(opening: Opening, day: number): readonly Interval[] {
  // 1970-01-01 was a Thursday.
  return isClosedOn(opening, day) ? [] : opening.week[(((day + 3) % 7) + 7) % 7]!
}

function isClosedOn({ closedOn }: Opening, day: number): boolean {
  return closedOn.some(({ first, last }) => day >= first && day <= last)
}
