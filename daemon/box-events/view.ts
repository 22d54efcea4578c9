/** An event of the box as it is shown. */
import { isoTime } from '../base/clock.ts'
import type { BoxEventView } from '../schema/box-events.ts'
import type { BoxEventRow } from '../store/tables.ts'

export function boxEventView({ since, until, acknowledgedAt, told, ...row }: Readonly<BoxEventRow>): BoxEventView {
  return {
    ...row,
    since: isoTime(since),
    until: isoTime(until),
    acknowledgedAt: isoTime(acknowledgedAt),
    told: told.map(({ at, ...one }) => ({ ...one, at: isoTime(at) })),
  }
}
