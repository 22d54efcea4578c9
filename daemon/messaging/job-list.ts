/** The texts that have not ended, in memory: by id, and by recipient in the order in which they were accepted. */
import { afterStep, type Timer } from '../base/clock.ts'
import type { SmsRow, SmsState } from '../store/tables.ts'
import { longestPauseMs } from './job.ts'

export interface Job {
  row: SmsRow
  readonly accepted: boolean
  /** Handed to a trunk, or being looked up. */
  busy: boolean
  /** When it was handed to its trunk last. */
  handedAt: number
  /** Fires when its next try is due. */
  timer: Timer | null
  /** Called when it is in a final state, or waits for another try. */
  readonly waiters: Set<() => void>
}

/** `accepted`: in this run of the daemon, by its clock. */
export function newJob(row: SmsRow, accepted = false): Job {
  return { row, accepted, busy: false, handedAt: 0, timer: null, waiters: new Set() }
}

/** The clock was set: what waits is as far away as it was. */
export function shiftTimes(jobs: Iterable<Job>, stepMs: number, now: number): void {
  for (const job of jobs) {
    const { nextAttemptAt, expiresAt } = job.row
    job.row = {
      ...job.row,
      nextAttemptAt: nextAttemptAt === null ? null : afterStep(nextAttemptAt, stepMs, now, longestPauseMs),
      expiresAt: job.accepted ? expiresAt + stepMs : expiresAt,
    }
  }
}

export function tell({ waiters }: Job): void {
  for (const told of waiters) told()
}

export class JobList {
  readonly #jobs = new Map<string, Job>()
  readonly #recipients = new Map<string, Job[]>()

  get size(): number {
    return this.#jobs.size
  }

  get(messageId: string): Job | undefined {
    return this.#jobs.get(messageId)
  }

  all(): Iterable<Job> {
    return this.#jobs.values()
  }

  /** True when it is the first of its recipient. */
  add(job: Job): boolean {
    this.#jobs.set(job.row.messageId, job)
    const before = this.#recipients.get(job.row.to)
    if (before === undefined) this.#recipients.set(job.row.to, [job])
    else before.push(job)
    return before === undefined
  }

  /** The recipient's next job, where the one removed was in front of it. */
  remove(job: Job): Job | undefined {
    const { messageId, to } = job.row
    if (!this.#jobs.delete(messageId)) return undefined
    const waiting = this.#recipients.get(to) ?? []
    const at = waiting.indexOf(job)
    if (at >= 0) waiting.splice(at, 1)
    if (waiting.length === 0) this.#recipients.delete(to)
    return at === 0 ? waiting[0] : undefined
  }

  isFirst(job: Job): boolean {
    return this.#recipients.get(job.row.to)?.[0] === job
  }

  states(): ReadonlyMap<SmsState, number> {
    const counts = new Map<SmsState, number>()
    for (const { row } of this.#jobs.values()) counts.set(row.state, (counts.get(row.state) ?? 0) + 1)
    return counts
  }

  oldestAt(): number | null {
    let oldest: number | null = null
    for (const { row } of this.#jobs.values()) if (oldest === null || row.createdAt < oldest) oldest = row.createdAt
    return oldest
  }
}
