/** Counters of one call that stop an application which leads its caller in circles. */
import type { GatherReason } from '../schema/states.ts'

export interface GuardLimits {
  /** Redirects in a row without audio played or input taken. */
  readonly redirects: number
  /** Control documents of the whole call. */
  readonly documents: number
  /** Gathers in a row that ended without input. */
  readonly silentGathers: number
}

/** Each question answers null, or why the call must not go on like this. */
export class CallGuards {
  readonly #limits: GuardLimits
  #redirects = 0
  #documents = 0
  #silentGathers = 0

  constructor(limits: GuardLimits) {
    this.#limits = limits
  }

  /** Redirects in a row so far. */
  get redirects(): number {
    return this.#redirects
  }

  redirect(): string | null {
    this.#redirects += 1
    if (this.#redirects <= this.#limits.redirects) return null
    return `redirect loop: more than ${this.#limits.redirects} redirects in a row without audio played or input taken`
  }

  document(): string | null {
    this.#documents += 1
    return this.#documents <= this.#limits.documents ? null : `more than ${this.#limits.documents} control documents in one call`
  }

  /** `reason` of the event that is about to be sent. */
  gathered(reason: GatherReason): string | null {
    if (reason !== 'timeout') {
      this.#silentGathers = 0
      this.mediaOrInput()
      return null
    }
    this.#silentGathers += 1
    if (this.#silentGathers <= this.#limits.silentGathers) return null
    return `more than ${this.#limits.silentGathers} gathers in a row without input`
  }

  mediaOrInput(): void {
    this.#redirects = 0
  }
}
