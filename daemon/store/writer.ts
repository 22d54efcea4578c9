/** Group commit: transactions run at once, their writes go to the disk together, one commit at a time. */
import type { PendingWrites, Writes } from './table.ts'

interface Group {
  writes: Writes
  afterwards: (() => void)[]
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
  /** Into which the transaction that runs writes. */
  #running: Group | undefined
  #failure = ''

  constructor(pending: PendingWrites, disk: Disk) {
    this.#pending = pending
    this.#disk = disk
  }

  /** Why the last commit failed; '' where it did not. */
  get failure(): string {
    return this.#failure
  }

  run<T>(work: () => T): Promise<T> {
    const pending = this.#pending
    if (pending.running) return Promise.reject(new Error('A transaction cannot start inside another one.'))
    const group = this.#waiting ?? newGroup()
    const afterwards = group.afterwards.length
    this.#running = group
    pending.begin(group.writes, this.#committing?.writes)
    let result: T
    let written: boolean
    try {
      result = work()
      if (result instanceof Promise) {
        result.catch(() => {})
        throw new Error('The work of a transaction must be synchronous.')
      }
      written = pending.written
    } catch (error) {
      pending.rollBack()
      group.afterwards.length = afterwards
      return Promise.reject(error as Error)
    } finally {
      this.#running = undefined
      pending.end()
    }
    if (written) this.#join(group)
    // A transaction that only read may have read what is not durable yet.
    const on = written ? group : (this.#waiting ?? this.#committing)
    return on === undefined ? Promise.resolve(result) : on.done.then(() => result)
  }

  /** Inside a transaction that writes. */
  afterCommit(work: () => void): void {
    if (this.#running === undefined) throw new Error('There is no transaction to wait for.')
    this.#running.afterwards.push(work)
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    for (let group = this.#waiting ?? this.#committing; group !== undefined; group = this.#waiting ?? this.#committing) {
      await group.done.catch(() => {})
    }
  }

  /** `group` has something to be committed: it waits, if it did not before. */
  #join(group: Group): void {
    if (this.#waiting === group) return
    this.#waiting = group
    // The rest of this turn of the event loop may still join.
    if (this.#committing === undefined) setImmediate(() => void this.#next())
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
      for (const work of group.afterwards) work()
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
  return { writes: new Map(), afterwards: [], done, resolve, reject }
}
