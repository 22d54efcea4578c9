/** The callers of a queue in the order in which they are served: by priority, then by who came first. */

export interface QueueCaller {
  readonly id: string
  /** The larger goes first. */
  readonly priority: number
  /** Since when the place is held. */
  readonly placeAt: number
  /** Since when the caller listens. */
  readonly waitsSince: number
  /** `absent`: to be called back. `summoned`: that is being done. */
  readonly state: 'here' | 'absent' | 'summoned'
  /** Of who is absent: the earliest moment to call back. */
  readonly notBefore: number
}

export class CallerLine {
  #callers: QueueCaller[] = []

  all(): readonly QueueCaller[] {
    return this.#callers
  }

  /** How many listen. */
  here(): number {
    return this.#callers.filter(({ state }) => state === 'here').length
  }

  add(caller: QueueCaller): void {
    const behind = (other: QueueCaller): boolean =>
      other.priority < caller.priority || (other.priority === caller.priority && other.placeAt > caller.placeAt)
    const at = this.#callers.findIndex(behind)
    this.#callers = this.#callers.toSpliced(at < 0 ? this.#callers.length : at, 0, caller)
  }

  /** False where there is no such caller; so below. */
  remove(id: string): boolean {
    const before = this.#callers.length
    this.#callers = this.#callers.filter((caller) => caller.id !== id)
    return this.#callers.length < before
  }

  change(id: string, changes: Partial<Pick<QueueCaller, 'state' | 'waitsSince' | 'notBefore'>>): boolean {
    const at = this.#callers.findIndex((caller) => caller.id === id)
    if (at < 0) return false
    this.#callers = this.#callers.with(at, { ...this.#callers[at]!, ...changes })
    return true
  }
}
