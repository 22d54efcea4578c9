/** A fax that is not over, as the queue holds it in memory: its row and what runs for it. */
import type { FaxProgress } from '../../drivers/fax.ts'
import type { FaxRow } from '../store/tables.ts'
import { isRendered } from './job.ts'
import type { FaxCall } from './line.ts'

export interface Job {
  row: FaxRow
  call: FaxCall | null
  live: FaxProgress | null
  rendering: AbortController | null
  /** A line is held and the call is about to be placed, or in progress. */
  busy: boolean
  /** Its end is on the disk. */
  settled: boolean
}

export function newJob(row: FaxRow): Job {
  return { row, call: null, live: null, rendering: null, busy: false, settled: false }
}

/** Whether its next call may be placed. */
export function isDue({ row, busy }: Job, now: number): boolean {
  if (busy || !isRendered(row)) return false
  return row.state === 'processing' || (row.state === 'retrying' && (row.nextAttemptAt ?? 0) <= now)
}
