/** What somebody hears of the transfer that they asked for, and when their own leg is hung up. */
import type { Clock } from '../../base/clock.ts'
import type { Leg } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import { hearOn } from '../../calls/hearing.ts'
import type { FarLeg, Party } from '../../calls/far-leg.ts'
import type { Side } from './hold-machine.ts'

// One of two parties leaves the call, and the other one stays in it: the remaining party has the call's own leg from then on.

/** Somebody who left, and whose leg may still be there. */
export interface Leaving {
  readonly leg: Leg | null
  /** Resolves when the line has reported its end. */
  readonly ended: Promise<unknown>
  hangUp(): void
}

/** Done at once, so that an end of the leg in the same moment is none of the call's. `party`: whom the further leg belongs to. */
export function depart(call: Call, far: FarLeg, side: Side, party: Party): Leaving {
  far.leg?.audio?.unbridge()
  call.leg?.audio?.unbridge()
  if (side === 'far') return { leg: far.leg, ended: far.ended, hangUp: () => far.release() }
  const { leg, ended } = call.adopt((told) => far.handOver(told), party, far.holds)
  hearOn(call)
  return { leg, ended, hangUp: () => leg.hangup() }
}

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
