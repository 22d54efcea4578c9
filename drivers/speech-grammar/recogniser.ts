/**
 * The recogniser that every box has: SoundSwallower (PocketSphinx in WebAssembly) with its English model for telephone lines,
 * against closed grammars: the application's hints, so many digits, or the usual answers. What fits no grammar is ''.
 */
import { Worker } from 'node:worker_threads'
import { codeFile } from '../code.ts'
import { SpeechError, type Expectation, type Recogniser, type Recognition, type RecognitionRequest } from '../speech.ts'
import { expected } from './grammar.ts'
import type { Answer, Question } from './worker.ts'

export interface GrammarOptions {
  /** Program that gives the sounds of an unknown word: Debian's `t2p`, of package flite. */
  readonly guesser?: string
  /** Longest time for one utterance; after that the thread is ended. */
  readonly limitMs?: number
}

interface Waiting {
  readonly samples: Int16Array
  readonly request: RecognitionRequest
  readonly resolve: (recognition: Recognition) => void
  readonly reject: (error: SpeechError) => void
}

const standardLimitMs = 15_000
const megabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

/** Resolves when the engine is ready. Throws SpeechError when it cannot be loaded. */
export async function createGrammarRecogniser(options: GrammarOptions = {}): Promise<Recogniser> {
  const recogniser = new GrammarRecogniser(options)
  await recogniser.start()
  return recogniser
}

class GrammarRecogniser implements Recogniser {
  readonly id = 'embedded-grammar'
  readonly vocabulary = 'closed'
  readonly #options: GrammarOptions
  readonly #queue: Waiting[] = []
  #worker: Promise<Worker> | null = null
  /** What is being decoded, with the end of its thread. */
  #fail: ((reason: string) => void) | null = null
  #busy = false
  #closed = false

  constructor(options: GrammarOptions) {
    this.#options = options
  }

  recognises(language: string): boolean {
    return /^en(-|$)/i.test(language)
  }

  async start(): Promise<void> {
    await this.#thread()
  }

  async recognise(samples: Int16Array, request: RecognitionRequest): Promise<Recognition> {
    if (!this.recognises(request.language)) {
      throw new SpeechError('language-unsupported', `The embedded recogniser understands English only, not ${request.language}`)
    }
    if (this.#closed) throw new SpeechError('engine-failed', 'The embedded recogniser was closed')
    if (request.signal?.aborted === true) throw aborted()
    return new Promise((resolve, reject) => {
      const settle = (): void => request.signal?.removeEventListener('abort', abort)
      const waiting: Waiting = {
        samples,
        request,
        resolve: (recognition) => {
          settle()
          resolve(recognition)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      }
      const abort = (): void => {
        const at = this.#queue.indexOf(waiting)
        if (at >= 0) this.#queue.splice(at, 1)
        waiting.reject(aborted())
      }
      request.signal?.addEventListener('abort', abort, { once: true })
      this.#queue.push(waiting)
      void this.#work()
    })
  }

  expected(text: string, expectation: Expectation): string | null {
    return expected(expectation, text)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const waiting of this.#queue.splice(0)) waiting.reject(new SpeechError('aborted', 'The embedded recogniser is closing'))
    this.#fail?.('The embedded recogniser is closing')
    const worker = await this.#worker?.catch(() => null)
    await worker?.terminate()
  }

  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        const { text, confidence } = await this.#ask(next)
        next.resolve(text === '' ? { text } : { text, confidence })
      } catch (error) {
        next.reject(error instanceof SpeechError ? error : new SpeechError('engine-failed', String(error)))
      }
    }
    this.#busy = false
  }

  async #ask({ samples, request }: Waiting): Promise<Answer> {
    const worker = await this.#thread()
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
      const question: Question = { samples, hints: request.hints, digits: request.digits }
      worker.postMessage(question)
    })
  }

  /** The thread, a new one where the last has ended. */
  #thread(): Promise<Worker> {
    this.#worker ??= this.#open()
    return this.#worker
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

function aborted(): SpeechError {
  return new SpeechError('aborted', 'The recognition is no longer wanted')
}
