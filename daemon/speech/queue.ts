/** Work by priority, `limit` at a time: lower numbers first, and among equals who came first. */

interface Task {
  readonly priority: number
  readonly run: () => Promise<void>
  readonly unwanted: () => boolean
}

export class PriorityQueue {
  readonly #limit: number
  readonly #tasks: Task[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Rejects where nobody wants the work any more when its turn comes. */
  add<T>(priority: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const unwanted = (): boolean => {
        if (signal?.aborted !== true) return false
        reject(signal.reason as Error)
        return true
      }
      const task: Task = { priority, run: () => work().then(resolve, reject), unwanted }
      const at = this.#tasks.findLastIndex((other) => other.priority <= priority)
      this.#tasks.splice(at + 1, 0, task)
      // The whole of a document is asked for before the first of it begins.
      queueMicrotask(() => this.#next())
    })
  }

  #next(): void {
    if (this.#running >= this.#limit) return
    let task = this.#tasks.shift()
    while (task?.unwanted() === true) task = this.#tasks.shift()
    if (task === undefined) return
    this.#running += 1
    void task.run().finally(() => {
      this.#running -= 1
      this.#next()
    })
  }
}
