/** The play queue of a simulated leg: items follow each other without a gap, on the line's clock. */
import type { PlaySource } from '../line.ts'
import type { SimClock, SimTimer } from './time.ts'

export interface PlayedItem {
  readonly playId: number
  readonly source: PlaySource
  readonly completed: boolean
  readonly playedMs: number
  /** Line time; equal where the item never began. */
  readonly startedMs: number
  readonly endedMs: number
}

interface Item {
  readonly playId: number
  readonly source: PlaySource
  readonly offsetMs: number
  readonly lengthMs: number
}

export class PlayQueue {
  readonly #clock: SimClock
  readonly #onPlayed: (item: PlayedItem) => void
  #items: Item[] = []
  /** When the first item began; it ends its length later, whenever the timer comes. */
  #begun = 0
  #timer: SimTimer | null = null

  constructor(clock: SimClock, onPlayed: (item: PlayedItem) => void) {
    this.#clock = clock
    this.#onPlayed = onPlayed
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  play(playId: number, source: PlaySource): void {
    const offsetMs = source.kind === 'clip' ? (source.offsetMs ?? 0) : 0
    const fullMs = lengthOf(source)
    this.#items.push({ playId, source, offsetMs, lengthMs: Math.max(0, fullMs - offsetMs) })
    if (this.#items.length > 1) return
    this.#begun = this.#clock.now()
    this.#arm()
  }

  clear(): void {
    this.#timer?.cancel()
    this.#timer = null
    const now = this.#clock.now()
    const items = this.#items
    this.#items = []
    for (const [index, item] of items.entries()) {
      const elapsed = index === 0 ? Math.min(item.lengthMs, now - this.#begun) : 0
      this.#onPlayed({
        playId: item.playId,
        source: item.source,
        completed: false,
        playedMs: Math.round(item.offsetMs + elapsed),
        startedMs: index === 0 ? this.#begun : now,
        endedMs: now,
      })
    }
  }

  #arm(): void {
    const item = this.#items[0]
    if (item === undefined) return
    this.#timer = this.#clock.after(this.#begun + item.lengthMs - this.#clock.now(), () => this.#finish(item))
  }

  #finish(item: Item): void {
    this.#items.shift()
    const startedMs = this.#begun
    this.#begun = startedMs + item.lengthMs
    this.#timer = null
    this.#arm()
    this.#onPlayed({
      playId: item.playId,
      source: item.source,
      completed: true,
      playedMs: Math.round(item.offsetMs + item.lengthMs),
      startedMs,
      endedMs: this.#begun,
    })
  }
}

function lengthOf(source: PlaySource): number {
  switch (source.kind) {
    case 'clip':
      return source.clip.samples.length / 8
    case 'samples':
      return source.samples.length / 8
    default:
      return source.ms
  }
}
