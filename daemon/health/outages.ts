/** When each line was down, from the history of the box. */
import type { BoxEvents } from '../box-events/box-events.ts'
import type { LineHistoryView } from '../schema/health.ts'
import { isoTime } from '../base/clock.ts'
import type { BoxEventRow } from '../store/tables.ts'

/** Rows read at once, and at most. */
const page = 500
const mostRows = 5000
/** A fault that began so long before may have ended in the time that is looked at. */
const longestMs = 60 * 86_400_000

type Outage = LineHistoryView['outages'][number]

/** Of these lines since a moment (milliseconds since the epoch), oldest first. `daemon` as an id: pbxd did not run. */
export function outagesSince(events: Pick<BoxEvents, 'list' | 'lasting'>, lines: readonly string[], since: number): LineHistoryView[] {
  const found = new Map<string, BoxEventRow[]>(lines.map((id) => [id, []]))
  const away: BoxEventRow[] = []
  for (const row of eventsSince(events, since)) {
    if (row.kind === 'daemon') away.push(row)
    else found.get(row.code.replace(/^(line|phone|sms)-/, ''))?.push(row)
  }
  const outages = (rows: readonly BoxEventRow[]): Outage[] => rows.toSorted((a, b) => a.since - b.since).map((row) => outageOf(row, since))
  return [...found].map(([id, rows]) => ({ id, since: isoTime(since), outages: outages(rows), unknown: outages(away) }))
}

function outageOf({ since, until, severity, text }: BoxEventRow, from: number): Outage {
  return { since: isoTime(Math.max(since, from)), until: isoTime(until), severity, text }
}

function* eventsSince(events: Pick<BoxEvents, 'list' | 'lasting'>, since: number): Iterable<BoxEventRow> {
  for (const kind of ['line', 'daemon'] as const) {
    let cursor: string | undefined
    const seen = new Set<string>()
    const reaches = (row: BoxEventRow): boolean => (row.until ?? Infinity) > since && !seen.has(row.eventId)
    for (const row of events.lasting()) {
      if (row.kind !== kind) continue
      yield row
      seen.add(row.eventId)
    }
    for (let read = 0; read < mostRows; read += page) {
      const { rows, next } = events.list({ limit: page, kind, cursor })
      for (const row of rows) if (reaches(row)) yield row
      const last = rows.at(-1)
      if (next === null || last === undefined || last.since < since - longestMs) break
      cursor = next
    }
  }
}
