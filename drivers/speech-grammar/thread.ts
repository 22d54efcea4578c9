/** One thread of the embedded recogniser, with an engine of its own: a new one where the last has ended. */
import { Worker } from 'node:worker_threads'
import { codeFile } from '../code.ts'
import { SpeechError } from '../speech.ts'
import type { Answer, Question } from './worker.ts'

export interface ThreadOptions {
  /** Program that gives the sounds of an unknown word: Debian's `t2p`, of package flite. */
  readonly guesser?: string
  /** Longest time for one utterance; after that the thread is ended. */
  readonly limitMs?: number
}

const standardLimitMs = 15_000
const megabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

export class Thread {
  readonly #options: ThreadOptions
  #worker: Promise<Worker> | null = null
  /** Ends what is being decoded. */
  #fail: ((reason: string) => void) | null = null

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Resolves when the engine is ready. Throws SpeechError when it cannot be loaded. */
  start(): Promise<Worker> {
    this.#worker ??= this.#open()
    return this.#worker
  }

  /** One question at a time. Throws SpeechError. */
  async ask(question: Question): Promise<Answer> {
    const worker = await this.start()
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#worker = null
        this.#fail?.('The embedded recogniser took too long')
        void worker.terminate()
      }, this.#options.limitMs ?? standardLimitMs)
      const settle = (): void => {
        clearTimeout(limit)
        worker.off('message', answered)
        this.#fail = null
      }
      const answered = (answer: Answer): void => {
        settle()
        resolve(answer)
      }
      this.#fail = (reason) => {
        settle()
        reject(new SpeechError('engine-failed', reason))
      }
      worker.on('message', answered)
      worker.postMessage(question)
    })
  }

  async close(): Promise<void> {
    this.#fail?.('The embedded recogniser is closing')
    const worker = await this.#worker?.catch(() => null)
    await worker?.terminate()
  }

  #open(): Promise<Worker> {
    const worker = new Worker(codeFile('drivers/speech-grammar/worker'), {
      workerData: { guesser: this.#options.guesser },
      resourceLimits: megabytes,
      stdout: true,
      stderr: true,
    })
    worker.stdout.resume()
    worker.stderr.resume()
    const opened = new Promise<Worker>((resolve, reject) => {
      let reason = 'The thread of the embedded recogniser ended'
      worker.once('message', () => {
        // The program ends when all else has ended; a request in flight has its timer.
        worker.unref()
        resolve(worker)
      })
      worker.on('error', (error: unknown) => {
        reason = `The embedded recogniser failed: ${error instanceof Error ? error.message : String(error)}`
      })
      worker.once('exit', () => {
        reject(new SpeechError('engine-failed', reason))
        if (this.#worker !== opened) return
        this.#worker = null
        this.#fail?.(reason)
      })
    })
    return opened
  }
}
