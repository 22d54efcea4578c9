/** The faxes of the queue as somebody sees them who looks: those in memory as they are now, the rest as the disk has them. */
import type { FaxProgress } from '../../drivers/fax.ts'
import type { Store } from '../store/store.ts'
import type { FaxRow } from '../store/tables.ts'
import { isTerminal } from './job.ts'
import { percentOfPage } from './live.ts'
import type { Job } from './waiting.ts'

export interface FaxNow {
  readonly row: FaxRow
  /** Of the call in progress; `percent` of the page on the wire. */
  readonly live: ShownProgress | null
}

export type ShownProgress = FaxProgress & { readonly percent: number | null }

export interface FaxQuery {
  readonly states?: readonly FaxRow['state'][]
  /** Only those before it. */
  readonly cursor?: string
  readonly limit: number
}

const shown = ({ row, live }: Job, now: number): FaxNow => ({ row, live: live && { ...live, percent: percentOfPage(row, live, now) } })

export function oneFax(store: Store, jobs: ReadonlyMap<string, Job>, faxId: string, now: number): FaxNow | undefined {
  const job = jobs.get(faxId)
  if (job !== undefined) return shown(job, now)
  const row = store.tables.faxes.get(faxId)
  return row && { row, live: null }
}

/** Newest first. */
export function newestFaxes(store: Store, jobs: ReadonlyMap<string, Job>, query: FaxQuery, now: number): FaxNow[] {
  const found: FaxNow[] = []
  const range = { reverse: true, ...(query.cursor === undefined ? {} : { end: query.cursor }) }
  for (const { key, value } of store.tables.faxes.range(range)) {
    const job = jobs.get(key)
    const row = job?.row ?? value
    if (query.states !== undefined && !query.states.includes(row.state)) continue
    found.push(job === undefined ? { row, live: null } : shown(job, now))
    if (found.length >= query.limit) break
  }
  return found
}

export function countStates(jobs: Iterable<Job>): ReadonlyMap<FaxRow['state'], number> {
  const counts = new Map<FaxRow['state'], number>()
  for (const { row } of jobs) if (!isTerminal(row.state)) counts.set(row.state, (counts.get(row.state) ?? 0) + 1)
  return counts
}
