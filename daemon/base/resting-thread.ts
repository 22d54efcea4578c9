/** A thread that lives while there is work for it: opened with the first order, ended when none has come for a while. */
import { Worker, type WorkerOptions } from 'node:worker_threads'

const idleMs = 30_000

export interface RestingThreadOptions<Answer> {
  readonly file: string
  readonly worker: Pick<WorkerOptions, 'resourceLimits' | 'env'>
  readonly answered: (answer: Answer) => void
  /** It ended with what it was doing. Not called for one that was ended for want of work, whose successor may be busy by then. */
  readonly lost: () => void
}

export class RestingThread<Answer> {
  readonly #options: RestingThreadOptions<Answer>
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | undefined

  constructor(options: RestingThreadOptions<Answer>) {
    this.#options = options
  }

  /** The one that works now; it keeps no program alive by itself. */
  wake(): Worker {
    clearTimeout(this.#idle)
    return (this.#worker ??= this.#open())
  }

  isCurrent(worker: Worker): boolean {
    return this.#worker === worker
  }

  /** To be called when it has nothing to do. */
  rest(): void {
    const worker = this.#worker
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#worker = null
      void worker?.terminate()
    }, idleMs)
    this.#idle.unref()
  }

  stop(): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
  }

  #open(): Worker {
    const { file, worker: options, answered, lost } = this.#options
    const worker = new Worker(file, options)
    worker.unref()
    worker.on('message', answered)
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = null
      lost()
    })
    return worker
  }
}
