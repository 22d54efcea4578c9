/**
 * What networks say later of texts they took. A report is matched by the network's reference and the recipient; one that
 * nobody waits for may be about a text whose answer was lost, or may come before the trunk's own answer, and is kept for
 * a while then.
 */
import type { SmsReport, SmsOutcome } from '../../drivers/sms.ts'
import type { Clock } from '../base/clock.ts'
import { type Log, maskNumber } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { SmsReferenceRow, SmsRow } from '../store/tables.ts'
import { step } from './job.ts'
import type { JobList } from './job-list.ts'
import { type SmsLedger, sameNumber } from './ledger.ts'
import { Counts, type Tally } from '../base/metrics.ts'

/** Counts of texts since the start of the daemon, for those who measure it. */
export class SmsFigures {
  readonly #ended = new Counts()
  readonly #attempts = new Counts()
  readonly #received = new Counts()
  readonly #segments = new Counts()

  constructor() {
    for (const state of ['sent', 'delivered', 'failed', 'unknown']) this.#ended.add({ state }, 0)
  }

  /** Came into this state, which is an end. A text that was sent may be delivered later. */
  reached({ state }: SmsRow): void {
    this.#ended.add({ state })
  }

  attempt({ trunkId, segments }: SmsRow, { kind }: SmsOutcome): void {
    this.#attempts.add({ trunk: trunkId, outcome: kind })
    if (kind === 'accepted') this.#segments.add({ trunk: trunkId }, segments.length)
  }

  arrived(trunkId: string): void {
    this.#received.add({ trunk: trunkId })
  }

  ended = (): Tally => this.#ended.tally()
  attempts = (): Tally => this.#attempts.tally()
  received = (): Tally => this.#received.tally()
  segments = (): Tally => this.#segments.tally()
}

export interface SmsReportsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly ledger: SmsLedger
  readonly jobs: JobList
  readonly figures: SmsFigures
}

interface Early {
  readonly trunkId: string
  readonly report: SmsReport
  readonly at: number
}

const keptMs = 180_000
const mostKept = 500

export class SmsReports {
  readonly #options: SmsReportsOptions
  #early: readonly Early[] = []

  constructor(options: SmsReportsOptions) {
    this.#options = options
  }

  /** Resolves when it is durable. */
  async take(trunkId: string, report: SmsReport): Promise<void> {
    const { store, clock, log, ledger, jobs, figures } = this.#options
    const found = await store.transaction(() => {
      const known = ledger.find(trunkId, report)
      const match = known === undefined ? this.#indeterminate(trunkId, report.to) : this.#rowOf(known)
      if (match === undefined) return undefined
      const { row, part } = match
      const input = { type: 'report', part, reference: report.reference, state: report.state, text: report.text } as const
      const next = step(row, input, { now: clock.now(), lookUpInMs: null, repeatUnknown: false }).row
      if (next !== row) ledger.putReported(next, row.accepted)
      const job = jobs.get(next.messageId)
      if (job !== undefined) job.row = next
      return { before: row.state, next }
    })
    if (found === undefined) return this.#keep({ trunkId, report, at: clock.now() })
    const { before, next } = found
    if (next.state === before) return
    figures.reached(next)
    log.info({ messageId: next.messageId, to: maskNumber(next.to), state: next.state, code: next.code }, 'report of a text')
  }

  /** A trunk has answered for a text: what came since it was handed over is looked at again. */
  async again({ trunkId, to, state, accepted }: SmsRow, since: number): Promise<void> {
    const about = ({ trunkId: from, report, at }: Early): boolean =>
      from === trunkId && at >= since && (accepted.includes(report.reference) || (state === 'unknown' && sameNumber(report.to, to)))
    const due = this.#early.filter(about)
    if (due.length === 0) return
    this.#early = this.#early.filter((one) => !due.includes(one))
    for (const { report } of due) await this.take(trunkId, report)
  }

  #keep(early: Early): void {
    this.#early = [...this.#early.filter(({ at }) => early.at - at < keptMs).slice(1 - mostKept), early]
  }

  #rowOf({ messageId, part }: SmsReferenceRow): { row: SmsRow; part: number } | undefined {
    const { jobs, store } = this.#options
    const row = jobs.get(messageId)?.row ?? store.tables.sms.get(messageId)
    return row && { row, part }
  }

  /** The oldest part to this number whose answer was lost. */
  #indeterminate(trunkId: string, to: string): { row: SmsRow; part: number } | undefined {
    for (const reference of this.#options.ledger.indeterminate(trunkId, to)) {
      const match = this.#rowOf(reference)
      if (match?.row.state === 'unknown' && match.row.accepted[match.part] === null && sameNumber(to, match.row.to)) return match
    }
    return undefined
  }
}
