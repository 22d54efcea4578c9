/** At most so many requests to one endpoint at a time; the others wait their turn, first come first served. */
export class EndpointQueue {
  readonly #limit: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get idle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0
  }

  /** Resolves true when it is the caller's turn: then `leave` must follow. False when `signal` came first. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    if (this.#running < this.#limit) {
      this.#running += 1
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve(true)
      }
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1)
        resolve(false)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(go)
    })
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running -= 1
  }
}
