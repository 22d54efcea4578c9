/** The keys a caller has pressed that nobody has taken yet: what a gather with `typeAhead` begins with. */
import type { Call } from '../calls/call.ts'

export class TypedKeys {
  #kept: string[] = []
  #claim: ((key: string) => boolean) | null = null
  readonly #unlisten: () => void

  constructor(call: Call) {
    this.#unlisten = call.listen((signal) => {
      if (signal.type === 'digit' && this.#claim?.(signal.digit) !== true) this.#kept.push(signal.digit)
    })
  }

  /** Keys pressed since the last gather, given once. */
  take(): readonly string[] {
    return this.#kept.splice(0)
  }

  /** Gives back keys that a gather did not need. */
  giveBack(keys: string): void {
    this.#kept.unshift(...keys)
  }

  /** Keys that are `mine` serve who listens at the moment and are not kept, until the returned function is called. */
  claim(mine: (key: string) => boolean): () => void {
    this.#claim = mine
    return () => {
      if (this.#claim === mine) this.#claim = null
    }
  }

  stop(): void {
    this.#unlisten()
  }
}
