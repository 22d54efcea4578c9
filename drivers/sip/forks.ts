/** Distributes a SIP leg's sound frame by frame: to its owner, and to a leg of another driver that it is joined to. */
import { DriftBuffer } from '../drift.ts'
import type { Fork } from '../line.ts'
import type { PatchPartner } from '../pbx.ts'

/** The other leg's sound has numbers from here on, which no play of the daemon's has. */
const firstPatchPlay = 0x4000_0000
/** Samples at 8 kHz. */
const frame = 160
const frameMs = 20

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
    const play = (samples: Int16Array): number => {
      this.#play(this.#plays, samples)
      return this.#plays++
    }
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

  /** A play of the daemon's has ended. Whether it is the business of its owner. */
  played(playId: number): boolean {
    if (playId < firstPatchPlay) return true
    this.#patched?.played(playId)
    return false
  }

  /** 20 ms. Whether its owner wants it. */
  heard(said: boolean, samples: Int16Array): boolean {
    if (said || samples.length > 160 || this.#patched === null) return true
    this.#patched.heard(samples)
    return this.#wanted.heard
  }
}

/**
 * A SIP leg that is joined to a leg of another driver, whose sound goes through this process. The engine plays what comes by its own clock,
 * and reports when it has.
 */
class PatchedLeg {
  readonly #partner: PatchPartner
  readonly #play: (samples: Int16Array) => number
  readonly #left: () => void
  readonly #drift = new DriftBuffer()
  /** Plays that the engine has in hand, a frame each. */
  readonly #waiting = new Set<number>()
  /** When it had the last one (ms of the monotonic clock). */
  #playedAt = -Infinity
  #over = false

  constructor(partner: PatchPartner, play: (samples: Int16Array) => number, left: () => void) {
    this.#partner = partner
    this.#play = play
    this.#left = left
    partner.joined({ say: (samples) => this.#say(samples), leave: () => this.#leave() })
  }

  heard(samples: Int16Array): void {
    if (!this.#over) this.#partner.hear(samples)
  }

  played(playId: number): void {
    this.#waiting.delete(playId)
    this.#playedAt = performance.now()
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
    this.#drift.add(samples)
    const next = this.#drift.take(this.#waiting.size === 0 ? this.#playedAt - performance.now() : this.#waiting.size * frameMs)
    for (let at = 0; at < next.length; at += frame) this.#waiting.add(this.#play(next.subarray(at, at + frame)))
  }
}
