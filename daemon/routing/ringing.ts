/** What a caller hears until somebody answers: that it rings, or what the one who is called has to say before (RFC 3960). */
import type { Clip } from '../../drivers/line.ts'
import { pbxLeg } from '../../drivers/pbx.ts'
import { progressTone, toneCountryOf } from '../../drivers/tones.ts'
import type { Call } from '../calls/call.ts'
import type { SecondLeg } from '../calls/second-leg.ts'
import type { Clock } from '../clock.ts'

/** A phone that is there at all has said so by then; the caller hears that something happens even where none does. */
const ringAtOnceMs = 250

export class Ringing {
  readonly #call: Call
  readonly #country: string
  readonly #signal: AbortSignal
  readonly #soon: { cancel(): void }
  #state: 'quiet' | 'rings' | 'early' | 'over' = 'quiet'

  constructor(call: Call, country: string, clock: Clock, signal: AbortSignal) {
    this.#call = call
    this.#country = country
    this.#signal = signal
    this.#soon = clock.after(ringAtOnceMs, () => this.begin())
  }

  begin(): void {
    if (this.#state !== 'quiet' || this.#signal.aborted) return
    this.#state = 'rings'
    if (!this.#call.answered) this.#call.progress(180)
    else void this.#sound(progressTone(toneCountryOf(this.#country), 'ringback'))
  }

  /** The tone is one round, with its pause. */
  async #sound(clip: Clip): Promise<void> {
    const leg = pbxLeg(this.#call.leg)
    if (leg !== null) return leg.loop(clip)
    while (this.#state === 'rings' && !this.#signal.aborted) if (!(await this.#call.play({ kind: 'clip', clip })).completed) return
  }

  /**
   * The tones and announcements of the far end. Before the answer only a phone of the house can hear them: nothing is sent to others
   * before they have shown where they are.
   */
  early(leg: SecondLeg): void {
    const call = this.#call
    if (this.#state === 'over' || this.#signal.aborted || (!call.answered && call.row.extension === '')) return
    this.#silence()
    this.#state = 'early'
    if (!call.answered) call.progress(183)
    leg.bridge()
  }

  stop(): void {
    this.#soon.cancel()
    this.#silence()
    if (this.#state === 'early') this.#call.leg?.audio?.unbridge()
    this.#state = 'over'
  }

  #silence(): void {
    if (this.#state !== 'rings' || !this.#call.answered) return
    const leg = pbxLeg(this.#call.leg)
    if (leg === null) this.#call.clear()
    else leg.stopLoop()
  }
}
