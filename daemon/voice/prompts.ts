/**
 * Plays a list of prompts as one: parts follow each other without a gap, each is queued on the leg as soon as it is
 * synthesised, some way ahead of what is heard, and the whole can be cut at once and resumed from the cut.
 */
import type { Call } from '../calls/call.ts'
import type { UtterancePart } from '../speech/speaker.ts'

export type PromptPart = Promise<UtterancePart>

/**
 * Milliseconds of sound that lie in the queue of a leg at most before more is added: longer than this process may ever be held up,
 * and little enough that a document of hundreds of sentences costs its call no more than a short one.
 */
const aheadMs = 20_000
const samplesPerMs = 8

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
  readonly #signal: AbortSignal
  #run = 0
  #cut: Cut = { part: 0, offsetMs: 0 }
  #playing: Promise<void> = Promise.resolve()
  #cutting = Promise.withResolvers<null>()

  /** When `signal` aborts nothing more is played; the code that aborts it silences the leg. */
  constructor(call: Call, parts: readonly PromptPart[], signal: AbortSignal) {
    this.#call = call
    this.#parts = parts
    this.#signal = signal
    signal.addEventListener('abort', () => this.#halt(), { once: true })
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
    let queuedMs = 0
    let moved = Promise.withResolvers<void>()
    for (let part = from.part; part < this.#parts.length; part += 1) {
      const offsetMs = part === from.part ? from.offsetMs : 0
      while (queuedMs >= aheadMs && cut === null && run === this.#run && !this.#signal.aborted) await Promise.race([moved.promise, stopped])
      // A part that is still being synthesised does not hold up a cut.
      const source = cut === null ? await Promise.race([this.#parts[part]!, stopped]) : null
      if (source === null || run !== this.#run || this.#signal.aborted) {
        cut ??= { part, offsetMs }
        break
      }
      const ms = 'silenceMs' in source ? source.silenceMs : source.samples.length / samplesPerMs - offsetMs
      queuedMs += ms
      if (part === 0 && offsetMs === 0 && !('silenceMs' in source)) seam(this.#call)
      if (!('silenceMs' in source) && source.text !== undefined) this.#call.note('prompt', source.text)
      const played =
        'silenceMs' in source
          ? this.#call.play({ kind: 'silence', ms: source.silenceMs })
          : this.#call.play({ kind: 'clip', clip: source, offsetMs })
      items.push(
        played.then((result) => {
          if (!result.completed) cut = earlier(cut, { part, offsetMs: result.playedMs })
          queuedMs -= ms
          moved.resolve()
          moved = Promise.withResolvers()
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
    this.#halt()
    this.#call.clear()
    await this.#playing
  }

  #halt(): void {
    this.#run += 1
    this.#cutting.resolve(null)
  }
}

/** A breath before what is new, where the one before has only just ended. */
export function seam(call: Call): void {
  const ms = call.seamMs
  if (ms > 0) void call.play({ kind: 'silence', ms })
}

function earlier(cut: Cut | null, other: Cut): Cut {
  return cut === null || other.part < cut.part ? other : cut
}
