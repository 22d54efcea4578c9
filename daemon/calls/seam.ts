/** The silence between what is said and what is said next. */

/** With the 200 ms that the line itself keeps silent: half a second. */
const afterAnswerMs = 300
const betweenMs = 350

export class Seam {
  /** Both of the clock that nobody sets; null: not yet, or before this run of the daemon. */
  answeredAt: number | null = null
  /** End of the last sound that was played to its end. */
  saidUntil: number | null = null

  /**
   * Milliseconds of silence still missing before something new is said: words that follow earlier ones without a pause are not understood,
   * nor are words spoken while a phone is lifted to the ear.
   */
  missingMs(now: number): number {
    const missing = (since: number | null, wantedMs: number) => (since === null ? 0 : wantedMs - (now - since))
    return Math.max(0, missing(this.answeredAt, afterAnswerMs), missing(this.saidUntil, betweenMs))
  }
}
