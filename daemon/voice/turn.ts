/**
 * The scope of one step of a call. What the step plays, has spoken, asks or connects belongs to it and ends with it: when
 * the caller is gone, or at once when another step takes its place.
 */
import type { Call } from '../calls/call.ts'
import { abortReason } from '../base/errors.ts'

export class Turn {
  readonly #call: Call
  readonly #over = new AbortController()
  readonly #replaced = new AbortController()
  readonly #gone = Promise.withResolvers<void>()
  readonly #hangUp = () => this.#over.abort(abortReason)

  constructor(call: Call) {
    this.#call = call
    if (call.over.aborted) this.#hangUp()
    else call.over.addEventListener('abort', this.#hangUp, { once: true })
  }

  /** Aborted when the caller is gone or the step was replaced. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Aborted when the step was replaced while the caller was there. */
  get replaced(): AbortSignal {
    return this.#replaced.signal
  }

  get over(): boolean {
    return this.#over.signal.aborted
  }

  /** Resolves when nothing of the step runs any more. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** Another step takes the place of this one: what it plays is silent, and nothing of it begins any more. */
  cut(): void {
    if (this.over) return
    this.#replaced.abort(abortReason)
    this.#over.abort(abortReason)
    this.#call.clear()
  }

  /** The step has come to its end. */
  end(): void {
    this.#call.over.removeEventListener('abort', this.#hangUp)
    this.#gone.resolve()
  }

  /** What `work` resolves with, or `instead` as soon as the turn has ended. */
  async within<T, E>(work: Promise<T>, instead: E): Promise<T | E> {
    if (this.over) return instead
    const { promise, resolve } = Promise.withResolvers<E>()
    const give = () => resolve(instead)
    this.signal.addEventListener('abort', give)
    try {
      return await Promise.race([work, promise])
    } finally {
      this.signal.removeEventListener('abort', give)
    }
  }
}
