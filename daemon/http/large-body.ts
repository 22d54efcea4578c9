/**
 * Reads bodies over 1 MiB off the event loop, one after the other, in a thread that lives while there are some. What arrives goes to the
 * thread at once: the loop's own heap has no memory of it to account for.
 */
import { codeFile } from '../../drivers/code.ts'
import { ApiError } from '../base/errors.ts'
import { RestingThread } from '../base/resting-thread.ts'
import type { ChunkTaker } from './body.ts'
import type { FileIn, LargeBodyAnswer, LargeBodyMessage } from './large-body-worker.ts'

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
  read(prefix: string, file: FileIn | undefined): Promise<ReadBody>
}

export class LargeBodyReader {
  readonly #arriving = new Set<number>()
  readonly #waiting = new Map<number, Waiting>()
  readonly #thread = new RestingThread<LargeBodyAnswer>({
    file: codeFile('daemon/http/large-body-worker'),
    worker: { resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 } },
    answered: (answer) => this.#answered(answer),
    lost: () => {
      for (const { reject } of this.#waiting.values()) reject(lost())
      this.#waiting.clear()
    },
  })
  #next = 0

  open(): LargeBody {
    const worker = this.#thread.wake()
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
        if (!this.#thread.isCurrent(worker)) {
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
    this.#thread.stop()
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
    if (this.#waiting.size + this.#arriving.size === 0) this.#thread.rest()
  }
}

function lost(): ApiError {
  return new ApiError('overloaded', 'The body could not be read; try again in a moment.', { retryAfterSeconds: 2 })
}
