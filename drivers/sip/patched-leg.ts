/**
 * A SIP leg that is joined to a leg of another driver, whose sound goes through this process. The engine plays what comes with its own clock:
 * what it tells of the leg, 20 ms at a time, is that clock, so that the sound that waits there neither grows nor runs out.
 */
import type { PatchPartner } from '../patch.ts'

/** Frames that the engine has in hand, against unsteady delivery. */
const target = 3
const most = 6

export class PatchedLeg {
  readonly #partner: PatchPartner
  readonly #play: (samples: Int16Array) => void
  readonly #left: () => void
  #waiting = 0
  #begun = false
  #over = false

  constructor(partner: PatchPartner, play: (samples: Int16Array) => void, left: () => void) {
    this.#partner = partner
    this.#play = play
    this.#left = left
    partner.joined({ say: (samples) => this.#say(samples), leave: () => this.#leave() })
  }

  /** A frame that the leg said: the engine has played one, too. */
  heard(samples: Int16Array): void {
    if (this.#over) return
    if (this.#begun) this.#waiting = Math.max(0, this.#waiting - 1)
    this.#partner.hear(samples)
  }

  pressed(key: string): void {
    if (!this.#over) this.#partner.press(key)
  }

  leave(): void {
    if (this.#over) return
    this.#leave()
    this.#partner.joined(null)
  }

  #leave(): void {
    if (this.#over) return
    this.#over = true
    this.#left()
  }

  #say(samples: Int16Array): void {
    if (this.#over) return
    // The modem's clock is the faster one: a frame is left out.
    if (this.#waiting >= most) return
    // It begins, or the engine has run dry: silence first, so that what is late the next time is not too late.
    const cushion = this.#waiting === 0 ? target : 0
    this.#begun = true
    this.#waiting += cushion + 1
    if (cushion === 0) return this.#play(samples)
    const padded = new Int16Array((cushion + 1) * samples.length)
    padded.set(samples, cushion * samples.length)
    this.#play(padded)
  }
}
