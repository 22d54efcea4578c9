/**
 * What a caller hears in a queue, and the key that leaves it. Music and announcements take turns and never cut each other; members are rung
 * meanwhile, and the end of waiting cuts both.
 */
import type { Clip } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import { pause, type Clock } from '../../base/clock.ts'
import type { Speaker } from '../../speech/speaker.ts'

/** What is heard while somebody waits, over and over, and where it is at the moment. */
export type Music = () => { readonly clip: Clip; readonly offsetMs: number }

export interface CompanyOptions {
  readonly clock: Clock
  readonly speaker: Pick<Speaker, 'prepare'>
  readonly music: Music
  /** Between two announcements; null for none. */
  readonly everyMs: number | null
  /** BCP 47. */
  readonly language: string
  /** What is to be said now. */
  readonly words: () => readonly string[]
  /** null: no key leaves. */
  readonly key: string | null
  readonly onKey: () => void
}

/** A caller who is served soon hears no announcement. */
const firstMs = 5000

export class Company {
  readonly #call: Call
  readonly #options: CompanyOptions
  readonly #over = new AbortController()
  readonly #deaf: () => void

  constructor(call: Call, options: CompanyOptions) {
    this.#call = call
    this.#options = options
    const { key, onKey } = options
    this.#deaf = call.listen((signal) => {
      if (signal.type === 'digit' && signal.digit === key) onKey()
    })
    void this.#keep()
  }

  stop(): void {
    if (this.#over.signal.aborted) return
    this.#deaf()
    this.#over.abort()
    this.#call.clear()
  }

  async #keep(): Promise<void> {
    const { clock, everyMs } = this.#options
    const { signal } = this.#over
    if (everyMs === null) return this.#music(signal)
    for (let waitMs = firstMs; !signal.aborted && !this.#call.isTerminal; waitMs = everyMs) {
      const music = new AbortController()
      void this.#music(music.signal)
      await pause(clock, waitMs, signal)
      music.abort()
      if (signal.aborted) return
      this.#call.clear()
      await this.#say()
    }
  }

  async #say(): Promise<void> {
    const { words, speaker, language } = this.#options
    for (const text of words()) await say(this.#call, speaker, { text, language }, this.#over.signal)
  }

  /** One piece lies in the queue of the leg behind the one that is heard, so that there is no gap. */
  async #music(signal: AbortSignal): Promise<void> {
    const { clip, offsetMs } = this.#options.music()
    let heard = this.#call.play({ kind: 'clip', clip, offsetMs })
    while (!signal.aborted) {
      const next = this.#call.play({ kind: 'clip', clip })
      if (!(await heard).completed) return
      heard = next
    }
  }
}

/** Says it to its end, or until `signal` aborts; who aborts it silences the leg. */
export async function say(
  call: Call,
  speaker: Pick<Speaker, 'prepare'>,
  words: { readonly text: string; readonly language: string },
  signal: AbortSignal,
): Promise<void> {
  for (const part of speaker.prepare({ ...words, callId: call.id, signal }).parts) {
    const made = await part
    if (signal.aborted) return
    await call.play('silenceMs' in made ? { kind: 'silence', ms: made.silenceMs } : { kind: 'clip', clip: made })
  }
}
