/** A reminder that has not ended, as the queue holds it in memory. */
import type { ReminderRow } from '../store/tables.ts'

export interface Job {
  row: ReminderRow
  /** The slot it holds in the plan. */
  booked: number | null
  /** Of the call under way. */
  call: AbortController | null
  /** Inputs whose transaction is not durable yet. */
  writing: number
  /** A person asked for the call: the hours of the site do not count. */
  urged: boolean
  /** The disk refused: not before this. */
  notBefore: number
}

export function newJob(row: ReminderRow): Job {
  return { row, booked: null, call: null, writing: 0, urged: false, notBefore: 0 }
}
