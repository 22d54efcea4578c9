/** The faxes of the queue as somebody sees them who looks: those in memory as they are now, the rest as the disk has them. */
import type { FaxProgress } from '../../drivers/fax.ts'
import type { Store } from '../store/store.ts'
import type { FaxRow } from '../store/tables.ts'
import { isOver } from './job.ts'
import type { Job } from './waiting.ts'

export interface FaxNow {
  readonly row: FaxRow
  /** Of the call in progress. */
  readonly live: FaxProgress | null
}

export interface FaxQuery {
  readonly states?: readonly FaxRow['state'][]
  /** Only those before it. */
  readonly cursor?: string
  readonly limit: number
}

/** Newest first. */
export function newestFaxes(store: Store, jobs: ReadonlyMap<string, Job>, query: FaxQuery): FaxNow[] {
  const found: FaxNow[] = []
  const range = { reverse: true, ...(query.cursor === undefined ? {} : { end: query.cursor }) }
  for (const { key, value } of store.tables.faxes.range(range)) {
    const job = jobs.get(key)
    const row = job?.row ?? value
    if (query.states !== undefined && !query.states.includes(row.state)) continue
    found.push({ row, live: job?.live ?? null })
    if (found.length >= query.limit) break
  }
  return found
}

export function countStates(jobs: Iterable<Job>): ReadonlyMap<FaxRow['state'], number> {
  const counts = new Map<FaxRow['state'], number>()
  for (const { row } of jobs) if (!isOver(row.state)) counts.set(row.state, (counts.get(row.state) ?? 0) + 1)
  return counts
}
