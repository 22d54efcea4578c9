/** One job at a time in order of asking. A job that is aborted while it waits never begins; the result of one that runs is dropped. */
import { SpeechError } from '../speech.ts'

export class Queue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (signal?.aborted === true) throw aborted()
      return work()
    })
    this.#last = turn.catch(() => undefined)
    if (signal === undefined) return turn
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(aborted())
      if (signal.aborted) giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
    })
  }

  /** Resolves when all that was asked for so far is done. */
  async idle(): Promise<void> {
    await this.#last
  }
}

export function aborted(): SpeechError {
  return new SpeechError('aborted', 'The request was given up')
}
