/** Who is told of a SIP leg's sound frame for frame: its owner, and a leg of another driver that it is joined to. */
import type { Fork } from '../line.ts'
import type { PatchPartner } from '../patch.ts'

/** Frames that the engine has in hand, against unsteady delivery. */
const target = 3
const most = 6

/** The other leg's sound has numbers from here on, which no play of the daemon's has. */
export const firstPatchPlay = 0x4000_0000

export class Forks {
  readonly #order: (wanted: Fork) => void
  readonly #play: (playId: number, samples: Int16Array) => void
  #wanted: Fork = { heard: false, said: false, heardWide: false, saidWide: false }
  #patched: PatchedLeg | null = null
  #plays = firstPatchPlay

  constructor(order: (wanted: Fork) => void, play: (playId: number, samples: Int16Array) => void) {
    this.#order = order
    this.#play = play
  }

  /** By the owner of the leg. */
  want(wanted: Fork): void {
    this.#wanted = wanted
    this.#order({ ...wanted, heard: wanted.heard || this.#patched !== null })
  }

  patch(partner: PatchPartner): void {
    const play = (samples: Int16Array): void => this.#play(this.#plays++, samples)
    const left = (): void => {
      this.#patched = null
      this.want(this.#wanted)
    }
    this.#patched = new PatchedLeg(partner, play, left)
    this.want(this.#wanted)
  }

  unpatch(): void {
    this.#patched?.leave()
  }

  pressed(key: string): void {
    this.#patched?.pressed(key)
  }

  /** 20 ms. Whether its owner wants it. */
  heard(said: boolean, samples: Int16Array): boolean {
    if (said || samples.length > 160 || this.#patched === null) return true
    this.#patched.heard(samples)
    return this.#wanted.heard
  }
}

/**
 * A SIP leg that is joined to a leg of another driver, whose sound goes through this process. The engine plays what comes with its own clock:
 * what it tells of the leg, 20 ms at a time, is that clock, so that the sound that waits there neither grows nor runs out.
 */
class PatchedLeg {
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
