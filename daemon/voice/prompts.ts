/**
 * Plays a list of prompts as one: parts follow each other without a gap, each is queued on the leg as soon as it is
 * synthesised, and the whole can be cut at once and resumed from the cut.
 */
import type { Call } from '../calls/call.ts'
import type { UtterancePart } from '../speech/speaker.ts'

export type PromptPart = Promise<UtterancePart>

/** The parts of a prompt that is played `loop` times. */
export function repeated(parts: readonly PromptPart[], loop: number): readonly PromptPart[] {
  return loop === 1 ? parts : Array.from({ length: loop }, () => parts).flat()
}

export interface Cut {
  readonly part: number
  readonly offsetMs: number
}

export class PromptPlayer {
  readonly #call: Call
  readonly #parts: readonly PromptPart[]
  #run = 0
  #cut: Cut = { part: 0, offsetMs: 0 }
  #playing: Promise<void> = Promise.resolve()
  #cutting = Promise.withResolvers<null>()

  constructor(call: Call, parts: readonly PromptPart[]) {
    this.#call = call
    this.#parts = parts
  }

  get empty(): boolean {
    return this.#parts.length === 0
  }

  /**
   * Plays from where it was cut, or from the beginning. Resolves true when the last sample was sent, false when it was
   * cut or the call ended.
   */
  async play(): Promise<boolean> {
    const playing = this.#play()
    this.#playing = playing.then(() => undefined)
    return playing
  }

  async #play(): Promise<boolean> {
    const run = ++this.#run
    const from = this.#cut
    const { promise: stopped } = (this.#cutting = Promise.withResolvers<null>())
    let cut: Cut | null = null
    const items: Promise<void>[] = []
    for (let part = from.part; part < this.#parts.length; part += 1) {
      // A part that is still being synthesised does not hold up a cut.
      const source = await Promise.race([this.#parts[part]!, stopped])
      if (source === null || run !== this.#run || this.#call.over.aborted) {
        cut ??= { part, offsetMs: part === from.part ? from.offsetMs : 0 }
        break
      }
      const offsetMs = part === from.part ? from.offsetMs : 0
      if (!('silenceMs' in source) && source.text !== undefined) this.#call.note('prompt', source.text)
      const played =
        'silenceMs' in source
          ? this.#call.play({ kind: 'silence', ms: source.silenceMs })
          : this.#call.play({ kind: 'clip', clip: source, offsetMs })
      items.push(
        played.then((result) => {
          if (!result.completed) cut = earlier(cut, { part, offsetMs: result.playedMs })
        }),
      )
    }
    await Promise.all(items)
    if (cut === null && run === this.#run) {
      this.#cut = { part: this.#parts.length, offsetMs: 0 }
      return true
    }
    if (cut !== null) this.#cut = cut
    return false
  }

  /** Silences the leg at once; resolves when the place of the cut is known. */
  async stop(): Promise<void> {
    this.#run += 1
    this.#cutting.resolve(null)
    this.#call.clear()
    await this.#playing
  }
}

function earlier(cut: Cut | null, other: Cut): Cut {
  return cut === null || other.part < cut.part ? other : cut
}
