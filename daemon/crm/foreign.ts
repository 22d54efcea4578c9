/**
 * Reads what others wrote off the event loop: files of parties, pages and long answers of the CRM. The thread reads them whole, and what it
 * made of them comes in pieces, when they are asked for.
 */
import { codeFile } from '../../drivers/code.ts'
import { ApiError } from '../base/errors.ts'
import { RestingThread } from '../base/resting-thread.ts'
import type { ForeignAnswer, ForeignMessage, ForeignOrder } from './foreign-work.ts'

export interface ForeignRead<Head> {
  readonly head: Head
  readonly pieces: number
  /** As often as it is asked for, until it is `done`. */
  piece<T>(at: number): Promise<T>
  done(): void
}

interface Waiting {
  readonly resolve: (answer: ForeignAnswer) => void
  readonly reject: (error: Error) => void
}

export class ForeignReader {
  readonly #waiting = new Map<number, Waiting>()
  /** Those of which pieces may be asked for. */
  readonly #open = new Set<number>()
  readonly #thread = new RestingThread<ForeignAnswer>({
    file: codeFile('daemon/programs/foreign-worker'),
    worker: { resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 } },
    answered: (answer) => this.#answered(answer),
    lost: () => this.#lose(),
  })
  #next = 0

  /** `done` must be called. Rejects with ApiError: that of the order, or `overloaded` where the thread was lost. */
  async read<Head>(bytes: readonly Uint8Array[], order: ForeignOrder): Promise<ForeignRead<Head>> {
    const id = this.#next++
    const own = bytes.map(owned)
    this.#open.add(id)
    try {
      const { head, pieces } = (await this.#ask(
        id,
        { id, order, bytes: own },
        own.map(({ buffer }) => buffer),
      )) as { head: Head; pieces: number }
      const piece = async <T>(at: number): Promise<T> =>
        JSON.parse(((await this.#ask(id, { id, piece: at })) as { piece: string }).piece) as T
      return { head, pieces, piece, done: () => this.#done(id) }
    } catch (error) {
      this.#done(id)
      throw error
    }
  }

  stop(): void {
    this.#thread.stop()
  }

  #ask(id: number, message: ForeignMessage, transfer: ArrayBuffer[] = []): Promise<ForeignAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ForeignAnswer>()
    // What the last thread read is gone with it.
    if (!this.#open.has(id)) reject(lost())
    else {
      this.#waiting.set(id, { resolve, reject })
      this.#thread.wake().postMessage(message, transfer)
    }
    return promise
  }

  #answered(answer: ForeignAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (!('error' in answer)) waiting?.resolve(answer)
    else if (answer.error.code === null) waiting?.reject(new Error(answer.error.message))
    else waiting?.reject(new ApiError(answer.error.code, answer.error.message))
  }

  #done(id: number): void {
    if (this.#open.delete(id)) this.#thread.wake().postMessage({ id, done: true } satisfies ForeignMessage)
    if (this.#open.size === 0) this.#thread.rest()
  }

  #lose(): void {
    this.#open.clear()
    for (const { reject } of this.#waiting.values()) reject(lost())
    this.#waiting.clear()
  }
}

/** The memory of a chunk may be that of others as well, which would be gone with it. */
function owned(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = chunk.buffer instanceof ArrayBuffer && chunk.byteLength === chunk.buffer.byteLength
  return whole ? (chunk as Uint8Array<ArrayBuffer>) : new Uint8Array(chunk)
}

function lost(): ApiError {
  return new ApiError('overloaded', 'The file is too large to read; send a smaller one.', { retryAfterSeconds: 2 })
}
