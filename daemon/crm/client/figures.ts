/** How the CRM has been: the figures in `pbx crm status` and `GET sync/status`. */
import type { Clock } from '../../base/clock.ts'

const durationsKept = 100

export class CrmFigures {
  readonly #clock: Clock
  readonly #durations: number[] = []
  lastSuccessAt: number | null = null
  lastFailureAt: number | null = null
  /** Of the last failure; null since the last success. */
  lastError: string | null = null
  /** How far the clock of the CRM is ahead; null before its first answer. */
  clockSkewMs: number | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  succeeded(tookMs: number, date: string | undefined): void {
    const now = this.#clock.now()
    this.lastSuccessAt = now
    this.lastError = null
    this.#durations.push(tookMs)
    if (this.#durations.length > durationsKept) this.#durations.shift()
    this.#clockWas(tookMs, date)
  }

  failed(reason: string): void {
    this.lastFailureAt = this.#clock.now()
    this.lastError = reason
  }

  /** It answered, and wanted none of it: because of its clock, perhaps. */
  refused(status: number, tookMs: number, date: string | undefined): void {
    this.failed(`answered ${status}`)
    this.#clockWas(tookMs, date)
  }

  /** The CRM answers, and lets the box not in; null: it does, or did not answer. */
  get lockedOut(): string | null {
    return this.lastError === 'answered 401' || this.lastError === 'answered 403' ? this.lastError : null
  }

  #clockWas(tookMs: number, date: string | undefined): void {
    const theirs = date === undefined ? NaN : Date.parse(date)
    // The header has whole seconds, and was written half the way back.
    if (!Number.isNaN(theirs)) this.clockSkewMs = theirs + 500 - (this.#clock.now() - Math.round(tookMs / 2))
  }

  /** Of the last hundred answers. */
  p95Ms(): number | null {
    const sorted = this.#durations.toSorted((a, b) => a - b)
    return sorted.length === 0 ? null : sorted[Math.ceil(sorted.length * 0.95) - 1]!
  }
}
