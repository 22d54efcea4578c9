/** The play queue of a simulated leg: items follow each other without a gap, on the line's clock. */
import type { PlaySource } from '../line.ts'
import { toTelephoneRate } from '../resample.ts'
import type { SimClock, SimTimer } from './time.ts'
import type { VoiceTrack } from './voice-track.ts'

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
  /** What is heard of the items and when, until `clear` cuts it off. */
  readonly #sounds: VoiceTrack
  #items: Item[] = []
  /** When the first item began; it ends its length later, whenever the timer comes. */
  #begun = 0
  #timer: SimTimer | null = null

  constructor(clock: SimClock, sounds: VoiceTrack, onPlayed: (item: PlayedItem) => void) {
    this.#clock = clock
    this.#sounds = sounds
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
    // Audio that comes piece by piece has some slack, as a line whose clock ticks every 20 ms gives it.
    const now = this.#clock.now()
    this.#begun = source.kind === 'samples' ? (Math.floor(now / 20) + 2) * 20 : now
    this.#begin()
  }

  clear(): void {
    this.#timer?.cancel()
    this.#timer = null
    const now = this.#clock.now()
    const items = this.#items
    this.#items = []
    this.#sounds.cutOff(now)
    for (const [index, item] of items.entries()) {
      const elapsed = index === 0 ? Math.max(0, Math.min(item.lengthMs, now - this.#begun)) : 0
      this.#onPlayed({
        playId: item.playId,
        source: item.source,
        completed: false,
        playedMs: Math.round(item.offsetMs + elapsed),
        startedMs: index === 0 ? Math.min(this.#begun, now) : now,
        endedMs: now,
      })
    }
  }

  #begin(): void {
    const item = this.#items[0]
    if (item === undefined) return
    this.#sounds.add(this.#begun, soundOf(item.source).subarray(Math.round(item.offsetMs * 8)))
    this.#timer = this.#clock.after(this.#begun + item.lengthMs - this.#clock.now(), () => this.#finish(item))
  }

  #finish(item: Item): void {
    this.#items.shift()
    const startedMs = this.#begun
    this.#begun = startedMs + item.lengthMs
    this.#timer = null
    this.#begin()
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
      return source.samples.length / (source.rate === 16_000 ? 16 : 8)
    default:
      return source.ms
  }
}

/** 8 kHz samples. */
function soundOf(source: PlaySource): Int16Array {
  switch (source.kind) {
    case 'clip':
      return source.clip.samples
    case 'samples':
      return source.rate === 16_000 ? toTelephoneRate(source.samples, 16_000) : source.samples
    case 'silence':
      return new Int16Array(0)
    case 'tone': {
      const peak = 32_767 * 10 ** (((source.dbm0 ?? -13) - 3.14) / 20)
      const { hz } = source
      return Int16Array.from({ length: Math.round(source.ms * 8) }, (_, n) =>
        Math.max(-32_768, Math.min(32_767, peak * hz.reduce((sum, each) => sum + Math.sin((2 * Math.PI * each * n) / 8000), 0))),
      )
    }
  }
}
