/** A trace as it is kept: the time of day of an entry is left out where its milliseconds say it, for it is a fifth of the row. */
import { isoTime } from '../base/clock.ts'
import type { CallTraceRow, WholeTrace } from '../store/tables.ts'

/** Between two readings of two clocks. */
const sameMs = 2

/** Throws nothing; `wholeTrace` gives it back, each time to 2 ms. */
export function traceRow({ entries, dropped }: WholeTrace): CallTraceRow {
  let offset = Number.NaN
  const kept = entries.map(({ at, ...rest }) => {
    const own = Date.parse(at) - rest.ms
    if (Math.abs(own - offset) <= sameMs) return rest
    offset = own
    return { at, ...rest }
  })
  return { entries: kept, dropped }
}

export function wholeTrace({ entries, dropped }: CallTraceRow): WholeTrace {
  let offset = 0
  const whole = entries.map(({ at, ...rest }) => {
    if (at !== undefined) offset = Date.parse(at) - rest.ms
    return { at: at ?? isoTime(offset + rest.ms), ...rest }
  })
  return { entries: whole, dropped }
}
