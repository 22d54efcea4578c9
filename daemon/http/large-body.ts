/**
 * Reads bodies over 1 MiB off the event loop, one after the other, in a thread that lives while there are some. What arrives goes to the
 * thread at once: the loop's own heap has no memory of it to account for.
 */
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ApiError } from '../errors.ts'
import type { ChunkTaker } from './body.ts'
import type { FilePlace, LargeBodyAnswer, LargeBodyMessage } from './large-body-worker.ts'

export type ReadBody = Omit<Extract<LargeBodyAnswer, { value: unknown }>, 'id'>

interface Waiting {
  readonly resolve: (body: ReadBody) => void
  readonly reject: (error: Error) => void
}

/** One body on its way. */
export interface LargeBody extends ChunkTaker {
  /**
   * The whole body is here. `prefix`: hashed in front of it. Rejects with ApiError: invalid_json, validation_failed for too many
   * values, overloaded where the thread was lost.
   */
  read(prefix: string, file: FilePlace | undefined): Promise<ReadBody>
}

/** The memory of the thread is given back when no large body has come for so long. */
const idleMs = 30_000
const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 }

export class LargeBodyReader {
  readonly #arriving = new Set<number>()
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | undefined
  #next = 0

  open(): LargeBody {
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#open())
    const id = this.#next++
    this.#arriving.add(id)
    const tell = (message: LargeBodyMessage, transfer: ArrayBuffer[] = []): void => worker.postMessage(message, transfer)
    return {
      push: (chunk) => tell({ id, chunk }, [chunk.buffer]),
      drop: () => {
        this.#arriving.delete(id)
        tell({ id, dropped: true })
        this.#rest()
      },
      read: (prefix, file) => {
        this.#arriving.delete(id)
        if (this.#worker !== worker) {
          this.#rest()
          return Promise.reject(lost())
        }
        const { promise, resolve, reject } = Promise.withResolvers<ReadBody>()
        this.#waiting.set(id, { resolve, reject })
        tell({ id, prefix, file })
        return promise
      },
    }
  }

  stop(): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
  }

  #open(): Worker {
    const file = new URL(`./large-body-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url)
    const worker = new Worker(file, { resourceLimits: limits })
    worker.unref()
    worker.on('message', (answer: LargeBodyAnswer) => this.#answered(answer))
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null
      for (const { reject } of this.#waiting.values()) reject(lost())
      this.#waiting.clear()
    })
    return worker
  }

  #answered(answer: LargeBodyAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (!('error' in answer)) waiting?.resolve(answer)
    else if (answer.error.code === null) waiting?.reject(new Error(answer.error.message))
    else waiting?.reject(new ApiError(answer.error.code, answer.error.message))
    this.#rest()
  }

  #rest(): void {
    if (this.#waiting.size + this.#arriving.size > 0) return
    const worker = this.#worker
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#worker = null
      void worker?.terminate()
    }, idleMs)
    this.#idle.unref()
  }
}

function lost(): ApiError {
  return new ApiError('overloaded', 'The body could not be read; try again in a moment.', { retryAfterSeconds: 2 })
}
