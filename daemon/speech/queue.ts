/** Work by priority, `limit` at a time: lower numbers first, and among equals who came first. */

interface Task {
  readonly priority: number
  readonly run: () => Promise<void>
}

export class PriorityQueue {
  readonly #limit: number
  readonly #tasks: Task[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add<T>(priority: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const task: Task = { priority, run: () => work().then(resolve, reject) }
      const at = this.#tasks.findLastIndex((other) => other.priority <= priority)
      this.#tasks.splice(at + 1, 0, task)
      // The whole of a document is asked for before the first of it begins.
      queueMicrotask(() => this.#next())
    })
  }

  #next(): void {
    if (this.#running >= this.#limit) return
    const task = this.#tasks.shift()
    if (task === undefined) return
    this.#running += 1
    void task.run().finally(() => {
      this.#running -= 1
      this.#next()
    })
  }
}
