/** A fax that is not over, as the queue holds it in memory: its row and what runs for it. */
import type { FaxProgress } from '../../drivers/fax.ts'
import type { FaxRow } from '../store/tables.ts'
import { isRendered, type FaxInput } from './job.ts'
import type { FaxCall } from './line.ts'
import { PageError } from './pages/pages.ts'

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

/**
 * Whether another fax to the same number was answered by no fax machine and tries once more: a person may have taken the
 * call, and what comes of that try decides how often this fax may call.
 */
export function mayDisturb(job: Job, jobs: readonly Job[]): boolean {
  const doubtful = ({ row }: Job): boolean => row.state === 'retrying' && row.reason === 'no_fax_detected'
  return !doubtful(job) && jobs.some((other) => other !== job && other.row.to === job.row.to && doubtful(other))
}

/** Whether its next call may be placed. */
export function isDue({ row, busy }: Job, now: number): boolean {
  if (busy || !isRendered(row)) return false
  return row.state === 'processing' || (row.state === 'retrying' && (row.nextAttemptAt ?? 0) <= now)
}

/** What becomes of a fax whose pages could not be drawn: what lies in its document is final, all else is tried again. */
export function drawingFailed(error: unknown): Extract<FaxInput, { type: 'unrenderable' | 'postpone' }> {
  if (!(error instanceof PageError)) return { type: 'postpone', message: 'The pages could not be drawn.' }
  return { type: 'unrenderable', reason: error.code === 'internal' ? 'internal' : 'document_error', message: error.message }
}
