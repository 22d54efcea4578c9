/** The texts that are not over, in memory: by id, and by recipient in the order in which they were accepted. */
import type { Timer } from '../clock.ts'
import type { SmsRow, SmsState } from '../store/tables.ts'

export interface Job {
  row: SmsRow
  /** Handed to a trunk, or being looked up. */
  busy: boolean
  /** When it was handed to its trunk last. */
  handedAt: number
  /** Fires when its next try is due. */
  timer: Timer | null
  /** Told when it is over, or waits for another try. */
  readonly waiters: Set<() => void>
}

export function newJob(row: SmsRow): Job {
  return { row, busy: false, handedAt: 0, timer: null, waiters: new Set() }
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

  /** The one whose turn it is now, where that has changed. */
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
