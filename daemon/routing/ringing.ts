/** What a caller hears until somebody answers: that it rings, or what the one who is called has to say before (RFC 3960). */
import { pbxLeg } from '../../drivers/pbx.ts'
import { progressTone, toneCountryOf } from '../../drivers/tones.ts'
import type { Call } from '../calls/call.ts'
import type { SecondLeg } from '../calls/second-leg.ts'
import type { Clock } from '../base/clock.ts'

/** A phone that is there at all has said so by then; the caller hears that something happens even where none does. */
const ringAtOnceMs = 250
/** Who has something to say sends it by then: its first word is not preceded by half a tone. */
const speaksByMs = 300

export class Ringing {
  readonly #call: Call
  readonly #country: string
  readonly #signal: AbortSignal
  readonly #clock: Clock
  #soon: { cancel(): void }
  #state: 'quiet' | 'rings' | 'early' | 'over' = 'quiet'
  /** The tone is heard. */
  #sounds = false

  constructor(call: Call, country: string, clock: Clock, signal: AbortSignal) {
    this.#call = call
    this.#country = country
    this.#signal = signal
    this.#clock = clock
    this.#soon = clock.after(ringAtOnceMs, () => this.begin())
  }

  begin(): void {
    if (this.#state !== 'quiet' || this.#signal.aborted) return
    this.#state = 'rings'
    if (!this.#call.answered) this.#call.progress(180)
    else this.#sound(true)
  }

  /** The clip is one round of the tone, with its pause. */
  #sound(on: boolean): void {
    if (this.#sounds === on) return
    this.#sounds = on
    const leg = pbxLeg(this.#call.leg)
    if (leg === null) return on ? void this.#goRound() : this.#call.clear()
    if (on) leg.loop(this.#clip)
    else leg.stopLoop()
  }

  async #goRound(): Promise<void> {
    const clip = this.#clip
    while (this.#sounds && !this.#signal.aborted) if (!(await this.#call.play({ kind: 'clip', clip })).completed) return
  }

  get #clip() {
    return progressTone(toneCountryOf(this.#country), 'ringback')
  }

  /**
   * The tones and announcements of the far end. Before the answer only a phone of the house can hear them: nothing is sent to others
   * before they have shown where they are. A far end that rings somebody and sends nothing is no announcement: the tone is heard until it does.
   */
  early(leg: SecondLeg): void {
    const call = this.#call
    if (this.#state === 'over' || this.#signal.aborted || (!call.answered && call.row.extension === '')) return
    if (this.#state !== 'early') {
      this.#sound(false)
      this.#state = 'early'
      if (!call.answered) call.progress(183)
      leg.bridge()
    }
    this.#soon.cancel()
    if (leg.ringsUnheard) this.#soon = this.#clock.after(speaksByMs, () => this.#sound(true))
    else this.#sound(false)
  }

  stop(): void {
    this.#soon.cancel()
    this.#sound(false)
    if (this.#state === 'early') this.#call.leg?.audio?.unbridge()
    this.#state = 'over'
  }
}
