/** What somebody hears of the transfer that they asked for, and when their own leg is hung up. */
import type { Clock } from '../../base/clock.ts'
import type { Leaving } from './departure.ts'

/** A phone that hears of success hangs up by itself (RFC 5589 section 6.1); after this time it is hung up. */
const hangUpMs = 3000

export class TransferReport {
  readonly #clock: Clock
  readonly #progress: (sipCode: number) => void
  readonly #leaving: Leaving
  #rang = false
  #final = false

  /** `progress`: as that of a TransferRequest. */
  constructor(clock: Clock, leaving: Leaving, progress: (sipCode: number) => void) {
    this.#clock = clock
    this.#leaving = leaving
    this.#progress = progress
  }

  rings(): void {
    if (this.#rang || this.#final) return
    this.#rang = true
    this.#progress(180)
  }

  /** Somebody has taken the call. */
  succeeded(): void {
    if (!this.#say(200)) return
    const timer = this.#clock.after(hangUpMs, () => this.#leaving.hangUp())
    void this.#leaving.ended.then(() => timer.cancel())
  }

  /** `sipCode`: of who was called, 0 for none. */
  failed(sipCode: number): void {
    if (this.#say(sipCode >= 400 ? sipCode : 603)) this.#leaving.hangUp()
  }

  #say(sipCode: number): boolean {
    if (this.#final) return false
    this.#final = true
    this.#progress(sipCode)
    return true
  }
}
