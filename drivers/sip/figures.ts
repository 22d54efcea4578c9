/** What the engine says of itself every 10 s (message `stats`), kept across its restarts where it counts up. */
import type { Message } from './frames.ts'
import { whole } from './reading.ts'

/** How long packets from elsewhere are news. */
const recentMs = 3_600_000

export class EngineFigures {
  #last: Message | null = null
  #calls: { readonly inUse: number; readonly limit: number } | null = null
  #foreignBefore = 0
  #droppedBefore = 0
  #foreignRecent = 0
  #foreignAt = 0
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  take(stats: Message): void {
    const grown = whole(stats['foreignPackets']) - whole(this.#last?.['foreignPackets'])
    if (grown > 0) {
      this.#foreignRecent = this.#recent() + grown
      this.#foreignAt = this.#now()
    }
    this.#last = stats
  }

  /** `pong`: how many legs there are, and may be, at once. */
  answered(pong: Message): void {
    const limit = whole(pong['callsLimit'])
    this.#calls = limit === 0 ? null : { inUse: whole(pong['calls']), limit }
  }

  /** The engine is gone; the next one counts from 0. */
  lost(): void {
    this.#foreignBefore += whole(this.#last?.['foreignPackets'])
    this.#droppedBefore += whole(this.#last?.['droppedAudio'])
    this.#last = null
    this.#calls = null
  }

  /**
   * `foreignPackets`: RTP, RTCP and UDPTL packets refused because they did not come from a call's far end, since the daemon's
   * start; `foreignPacketsRecent`: of them those of the last trouble, 0 when an hour went by without any; `droppedAudio`: pieces of
   * 20 ms that the speech recogniser did not get, since the daemon's start, because this program took them too late; `callsInUse` and
   * `callsLimit`: legs that there are, and may be, at once.
   */
  facts(): Record<string, number> {
    const facts: Record<string, number> = {
      foreignPackets: this.#foreignBefore + whole(this.#last?.['foreignPackets']),
      foreignPacketsRecent: this.#recent(),
      droppedAudio: this.#droppedBefore + whole(this.#last?.['droppedAudio']),
    }
    if (this.#calls !== null) Object.assign(facts, { callsInUse: this.#calls.inUse, callsLimit: this.#calls.limit })
    for (const name of ['rssKb', 'tickLatenessP99Ms', 'tickLatenessMaxMs']) {
      const value = this.#last?.[name]
      if (typeof value === 'number') facts[name] = value
    }
    return facts
  }

  #recent(): number {
    return this.#now() - this.#foreignAt < recentMs ? this.#foreignRecent : 0
  }
}
