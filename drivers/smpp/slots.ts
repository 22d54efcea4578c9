/** At most so many at once; the others wait in order. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** False where the signal came first. */
  take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const mine = (): void => {
        signal.removeEventListener('abort', gone)
        resolve(true)
      }
      const gone = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1)
        resolve(false)
      }
      signal.addEventListener('abort', gone, { once: true })
      this.#waiting.push(mine)
    })
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
