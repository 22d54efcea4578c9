/** What a leg says, item after item without a gap, taken a piece at a time by the code that sends it to the line. */
import type { PlaySource } from '../../line.ts'
import { toneSamples } from '../../key-tones.ts'
import { toTelephoneRate } from '../../resample.ts'

interface Item {
  readonly playId: number
  readonly samples: Int16Array
  readonly offsetMs: number
  at: number
}

export interface Played {
  readonly playId: number
  readonly completed: boolean
  readonly playedMs: number
}

export class PromptQueue {
  #items: Item[] = []

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  add(playId: number, source: PlaySource): void {
    const offsetMs = source.kind === 'clip' ? (source.offsetMs ?? 0) : 0
    this.#items.push({ playId, samples: samplesOf(source).subarray(Math.round(offsetMs * 8)), offsetMs, at: 0 })
  }

  /** Up to so many samples, fewer at the end; `ended` is called for each item whose last sample is among them, or that had none. */
  take(most: number, ended: (playId: number, samples: number, played: Played) => void): Int16Array {
    const taken = new Int16Array(most)
    let length = 0
    for (;;) {
      const item = this.#items[0]
      if (item === undefined || (length === most && item.at < item.samples.length)) break
      const piece = item.samples.subarray(item.at, item.at + most - length)
      taken.set(piece, length)
      length += piece.length
      item.at += piece.length
      if (item.at < item.samples.length) break
      this.#items.shift()
      ended(item.playId, length, { playId: item.playId, completed: true, playedMs: Math.round(item.offsetMs + item.samples.length / 8) })
    }
    return taken.subarray(0, length)
  }

  /** `unheardMs`: of what was taken, so much at the end was not heard. */
  clear(unheardMs: number): readonly Played[] {
    const items = this.#items
    this.#items = []
    return items.map(({ playId, offsetMs, at }, index) => {
      const heard = index === 0 ? Math.max(0, at / 8 - unheardMs) : 0
      return { playId, completed: false, playedMs: Math.round(offsetMs + heard) }
    })
  }
}

/** 8 kHz. */
function samplesOf(source: PlaySource): Int16Array {
  switch (source.kind) {
    case 'clip':
      return source.clip.samples
    case 'samples':
      return source.rate === 16_000 ? toTelephoneRate(source.samples, 16_000) : source.samples
    case 'silence':
      return new Int16Array(Math.round(source.ms * 8))
    case 'tone':
      return toneSamples(source.hz, source.ms, source.dbm0 ?? -13)
  }
}
