/** Group commit: transactions run at once, their writes go to the disk together, one commit at a time. */
import type { PendingWrites, Writes } from './table.ts'

interface Group {
  writes: Writes
  done: Promise<void>
  resolve: () => void
  reject: (error: unknown) => void
}

export interface Disk {
  /** All or nothing; resolves when the writes are durable. */
  commit(writes: Writes): Promise<void>
  /** Turns a failed commit into the error its transactions get. */
  explain(error: unknown): Promise<Error>
}

export class Writer {
  readonly #pending: PendingWrites
  readonly #disk: Disk
  #waiting: Group | undefined
  #committing: Group | undefined
  #failure = ''

  constructor(pending: PendingWrites, disk: Disk) {
    this.#pending = pending
    this.#disk = disk
  }

  /** Why the last commit failed; '' where it did not. */
  get failure(): string {
    return this.#failure
  }

  async run<T>(work: () => T): Promise<T> {
    if (this.#pending.layers !== undefined) throw new Error('A transaction cannot start inside another one.')
    const own: Writes = new Map()
    const below = [this.#waiting, this.#committing].flatMap((group) => (group === undefined ? [] : [group.writes]))
    this.#pending.layers = [own, ...below]
    let result: T
    try {
      result = work()
    } finally {
      this.#pending.layers = undefined
    }
    if (result instanceof Promise) {
      result.catch(() => {})
      throw new Error('The work of a transaction must be synchronous.')
    }
    if (own.size > 0) await this.#join(own).done
    // A transaction that only read may have read what is not durable yet.
    else await (this.#waiting ?? this.#committing)?.done
    return result
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    for (let group = this.#waiting ?? this.#committing; group !== undefined; group = this.#waiting ?? this.#committing) {
      await group.done.catch(() => {})
    }
  }

  #join(own: Writes): Group {
    if (this.#waiting === undefined) {
      this.#waiting = newGroup()
      // The rest of this turn of the event loop may still join.
      if (this.#committing === undefined) setImmediate(() => void this.#next())
    }
    const group = this.#waiting
    for (const [name, rows] of own) {
      const all = group.writes.get(name)
      if (all === undefined) group.writes.set(name, rows)
      else for (const [key, text] of rows) all.set(key, text)
    }
    return group
  }

  #takeWaiting(): Group | undefined {
    const group = this.#waiting
    this.#waiting = undefined
    return group
  }

  async #next(): Promise<void> {
    if (this.#committing !== undefined) return
    const group = this.#takeWaiting()
    if (group === undefined) return
    this.#committing = group
    try {
      await this.#disk.commit(group.writes)
      this.#committing = undefined
      this.#failure = ''
      group.resolve()
    } catch (cause) {
      const error = await this.#disk.explain(cause)
      const behind = this.#takeWaiting()
      this.#committing = undefined
      this.#failure = error.message
      group.reject(error)
      behind?.reject(error)
    }
    void this.#next()
  }
}

function newGroup(): Group {
  let resolve!: () => void
  let reject!: (error: unknown) => void
  const done = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  done.catch(() => {})
  return { writes: new Map(), done, resolve, reject }
}
