/** A fax that has not ended, as the queue holds it in memory: its row and what runs for it. */
import { afterStep } from '../base/clock.ts'
import type { FaxRow } from '../store/tables.ts'
import { isTerminal, isRendered, longestPauseMs, type FaxInput } from './job.ts'
import type { FaxCall } from './line.ts'
import type { LiveFax } from './live.ts'
import { PageError } from './pages/pages.ts'

const lineWaitMs = 1000

/** A call in progress, and what the history says of it. */
export interface PlacedCall {
  readonly call: FaxCall
  readonly line: string
  readonly startedAt: number
  readonly firstPage: number
}

export interface Job {
  row: FaxRow
  readonly accepted: boolean
  call: PlacedCall | null
  live: LiveFax | null
  rendering: AbortController | null
  /** A line is held and the call is about to be placed, or in progress. */
  busy: boolean
  /** Its end is on the disk. */
  settled: boolean
}

/** `accepted`: in this run of the daemon, by its clock. */
export function newJob(row: FaxRow, accepted = false): Job {
  return { row, accepted, call: null, live: null, rendering: null, busy: false, settled: false }
}

/**
 * Whether another fax to the same number was answered by no fax machine and tries once more: a person may have taken the
 * call, and what comes of that try decides how often this fax may call.
 */
export function mayDisturb(job: Job, jobs: readonly Job[]): boolean {
  const suspect = ({ row }: Job): boolean => row.state === 'retrying' && row.reason === 'no_fax_detected'
  return !suspect(job) && jobs.some((other) => other !== job && other.row.to === job.row.to && suspect(other))
}

/** Milliseconds until something falls due; Infinity where nothing waits for a time. */
export function untilNext(jobs: readonly Job[], now: number, noLine: boolean): number {
  const waiting = jobs.filter((job) => !isTerminal(job.row.state) && !job.busy)
  const times = waiting.flatMap(({ row }) => [row.expiresAt, row.nextAttemptAt ?? Infinity, row.sendAt ?? Infinity])
  if (noLine) times.push(now + lineWaitMs)
  return Math.min(...times.filter((time) => time > now)) - now
}

/** The clock was set: what waits is as far away as it was. */
export function shiftTimes(jobs: Iterable<Job>, stepMs: number, now: number, write: (row: FaxRow) => void): void {
  for (const job of jobs) {
    const { nextAttemptAt, expiresAt, state, sendAt } = job.row
    if (isTerminal(state)) continue
    job.row = {
      ...job.row,
      nextAttemptAt: nextAttemptAt === null ? null : afterStep(nextAttemptAt, stepMs, now, longestPauseMs),
      // An hour that somebody has named is that of the new clock.
      expiresAt: job.accepted && sendAt === undefined ? expiresAt + stepMs : expiresAt,
    }
    write(job.row)
  }
}

/** Whether its next call may be placed. */
export function isDue({ row, busy }: Job, now: number): boolean {
  if (busy || !isRendered(row) || (row.sendAt ?? 0) > now) return false
  return row.state === 'processing' || (row.state === 'retrying' && (row.nextAttemptAt ?? 0) <= now)
}

/** What becomes of a fax whose pages could not be drawn: what lies in its document is final, all else is tried again. */
export function drawingFailed(error: unknown): Extract<FaxInput, { type: 'unrenderable' | 'postpone' }> {
  if (!(error instanceof PageError)) return { type: 'postpone', message: 'The pages could not be drawn.' }
  return { type: 'unrenderable', reason: error.code === 'internal' ? 'internal' : 'document_error', message: error.message }
}

/** The end that a person wishes, with the call that it breaks off: nothing is added to a row in a final state. */
export function cancelOf(placed: PlacedCall | null): Extract<FaxInput, { type: 'cancel' }> {
  if (placed === null) return { type: 'cancel' }
  const { call, line, startedAt, firstPage } = placed
  return { type: 'cancel', during: { callId: call.callId, line, startedAt, firstPage, durationSeconds: call.seconds() } }
}
