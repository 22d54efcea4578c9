/** What the engine says of itself every 10 s (message `stats`), kept across its restarts where it counts up. */
import type { Message } from './frames.ts'
import { whole } from './reading.ts'

/** How long packets from elsewhere, and sound that was lost, are news. */
const recentMs = 3_600_000
/** A tick of the media clock. */
const tickMs = 20

/** What counts up in the engine: since the daemon's start, and of it the last trouble, until an hour went by without any. */
class Count {
  #before = 0
  #last = 0
  #recent = 0
  #at = -Infinity
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  take(seen: number): void {
    if (seen > this.#last) {
      this.#recent = this.recent + seen - this.#last
      this.#at = this.#now()
    }
    this.#last = seen
  }

  /** The engine is gone; the next one counts from 0. */
  lost(): void {
    this.#before += this.#last
    this.#last = 0
  }

  get all(): number {
    return this.#before + this.#last
  }

  get recent(): number {
    return this.#now() - this.#at < recentMs ? this.#recent : 0
  }
}

export class EngineFigures {
  #last: Message | null = null
  #calls: { readonly inUse: number; readonly limit: number } | null = null
  readonly #foreign: Count
  readonly #dropped: Count
  readonly #lostTicks: Count

  constructor(now: () => number = Date.now) {
    this.#foreign = new Count(now)
    this.#dropped = new Count(now)
    this.#lostTicks = new Count(now)
  }

  take(stats: Message): void {
    this.#last = stats
    this.#foreign.take(whole(stats['foreignPackets']))
    this.#dropped.take(whole(stats['droppedAudio']))
    this.#lostTicks.take(whole(stats['lostTicks']))
  }

  /** `pong`: how many legs there are, and may be, at once. */
  answered(pong: Message): void {
    const limit = whole(pong['callsLimit'])
    this.#calls = limit === 0 ? null : { inUse: whole(pong['calls']), limit }
  }

  /** The engine is gone; the next one counts from 0. */
  lost(): void {
    for (const count of [this.#foreign, this.#dropped, this.#lostTicks]) count.lost()
    this.#last = null
    this.#calls = null
  }

  /**
   * `foreignPackets`: RTP, RTCP and UDPTL packets refused because they did not come from a call's far end, since the daemon's
   * start; `foreignPacketsRecent`: of them those of the last trouble, 0 when an hour went by without any; `droppedAudio`: pieces of
   * 20 ms that the speech recogniser did not get, since the daemon's start, because this program took them too late; `lostAudioMs` and
   * `lostAudioRecentMs`: sound of calls that was left out because the machine was too slow, in the same two ways; `callsInUse` and
   * `callsLimit`: legs that there are, and may be, at once.
   */
  facts(): Record<string, number> {
    const facts: Record<string, number> = {
      foreignPackets: this.#foreign.all,
      foreignPacketsRecent: this.#foreign.recent,
      droppedAudio: this.#dropped.all,
      lostAudioMs: this.#lostTicks.all * tickMs,
      lostAudioRecentMs: this.#lostTicks.recent * tickMs,
    }
    if (this.#calls !== null) Object.assign(facts, { callsInUse: this.#calls.inUse, callsLimit: this.#calls.limit })
    for (const name of ['rssKb', 'tickLatenessP99Ms', 'tickLatenessMaxMs']) {
      const value = this.#last?.[name]
      if (typeof value === 'number') facts[name] = value
    }
    return facts
  }
}
