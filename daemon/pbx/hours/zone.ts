/** The clock on the wall of a time zone, by arithmetic: how far it is from UTC, and when that changes. */
import { IANAZone } from 'luxon'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export interface Wall {
  /** Milliseconds by which the clock on the wall is ahead of UTC at an instant. */
  offsetAt(at: number): number
  /** Instants in (from, to) at which the clock is put forward or back, earliest first. */
  changesBetween(from: number, to: number): number[]
  /** Instants at which the clock shows this, as milliseconds of a clock in UTC that shows the same; none in the night it is put forward, two in the night it is put back. */
  instantsOf(localMs: number): number[]
  /** `Sun 8 Mar 09:30`: a form in which traces hide nothing. */
  show(at: number): string
}

/** `name`: the IANA name of a zone that exists. */
export function wallOf(name: string): Wall {
  const zone = IANAZone.create(name)
  const offsetAt = (at: number): number => Math.round(zone.offset(at)) * minuteMs
  const changesBetween = (from: number, to: number): number[] => {
    const changes: number[] = []
    // No zone changes twice within some hours.
    for (let start = from; start < to; start += 6 * hourMs) {
      const end = Math.min(to, start + 6 * hourMs)
      if (offsetAt(start) !== offsetAt(end)) changes.push(firstAfterChange(offsetAt, start, end))
    }
    return changes.filter((at) => at < to)
  }
  const instantsOf = (localMs: number): number[] => {
    // No clock is more than 14 hours ahead of UTC or 12 behind, and none jumps by more than three.
    const offsets = new Set([offsetAt(localMs - 18 * hourMs), offsetAt(localMs + 18 * hourMs)])
    return [...offsets]
      .map((offset) => localMs - offset)
      .filter((at) => at + offsetAt(at) === localMs)
      .toSorted((a, b) => a - b)
  }
  const show = (at: number): string => {
    const [weekday = '', day = '', month = '', , time = ''] = new Date(at + offsetAt(at)).toUTCString().split(' ')
    return `${weekday.replace(',', '')} ${Number(day)} ${month} ${time.slice(0, 5)}`
  }
  return { offsetAt, changesBetween, instantsOf, show }
}

function firstAfterChange(offsetAt: (at: number) => number, start: number, end: number): number {
  const before = offsetAt(start)
  let [low, high] = [start, end]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return high
}
