/** Who talks, by their legs: for transfers and calls that name a leg of somebody else's talk. */
import type { Leg } from '../../../drivers/line.ts'
import type { Side } from './hold-machine.ts'
import type { Talk } from './talk.ts'

export interface TalkPlace {
  readonly talk: Talk
  readonly side: Side
}

export class TalkBook {
  readonly #places = new Map<Leg, TalkPlace>()

  /** Returns how to take it out again. */
  add(leg: Leg, talk: Talk, side: Side): () => void {
    const place = { talk, side }
    this.#places.set(leg, place)
    return () => {
      if (this.#places.get(leg) === place) this.#places.delete(leg)
    }
  }

  find(leg: Leg): TalkPlace | null {
    return this.#places.get(leg) ?? null
  }
}
