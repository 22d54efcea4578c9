/**
 * The recogniser that every box has: SoundSwallower (PocketSphinx in WebAssembly) with its English model for telephone lines,
 * against closed grammars: the application's hints, so many digits, or the usual answers. What fits no grammar is ''.
 * Those who have spoken at the same moment are decoded by a thread for each processor; one is kept when they have gone.
 */
import { availableParallelism } from 'node:os'
import { SpeechError, type Expectation, type Recogniser, type Recognition, type RecognitionRequest } from '../speech.ts'
import { expected } from './grammar.ts'
import { Thread, type ThreadOptions } from './thread.ts'

interface Waiting {
  readonly samples: Int16Array
  readonly request: RecognitionRequest
  readonly resolve: (recognition: Recognition) => void
  readonly reject: (error: SpeechError) => void
}

/** Each thread takes some 40 MB: there are no more than this, and the further ones end so long after the last time that somebody waited. */
const mostThreads = 4
const keptMs = 60_000

/** Resolves when the engine is ready. Throws SpeechError when it cannot be loaded. */
export async function createGrammarRecogniser(options: ThreadOptions = {}): Promise<Recogniser> {
  const recogniser = new GrammarRecogniser(options)
  await recogniser.start()
  return recogniser
}

class GrammarRecogniser implements Recogniser {
  readonly id = 'embedded-grammar'
  readonly vocabulary = 'closed'
  readonly atOnce = Math.min(availableParallelism(), mostThreads)
  readonly #options: ThreadOptions
  readonly #queue: Waiting[] = []
  readonly #first: Thread
  readonly #threads: Set<Thread>
  readonly #free: Thread[] = []
  #opening = false
  #shrinking: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
    this.#first = new Thread(options)
    this.#threads = new Set([this.#first])
  }

  recognises(language: string): boolean {
    return /^en(-|$)/i.test(language)
  }

  async start(): Promise<void> {
    await this.#first.start()
    this.#free.push(this.#first)
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
      this.#work()
    })
  }

  expected(text: string, expectation: Expectation): string | null {
    return expected(expectation, text)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#shrinking)
    for (const waiting of this.#queue.splice(0)) waiting.reject(new SpeechError('aborted', 'The embedded recogniser is closing'))
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  #work(): void {
    while (this.#queue.length > 0 && !this.#closed) {
      const thread = this.#free.pop()
      if (thread === undefined) {
        this.#grow()
        return
      }
      void this.#answer(thread, this.#queue.shift()!).finally(() => {
        this.#free.push(thread)
        this.#work()
      })
    }
  }

  async #answer(thread: Thread, { samples, request, resolve, reject }: Waiting): Promise<void> {
    try {
      const { text, confidence } = await thread.ask({ samples, hints: request.hints, digits: request.digits })
      resolve(text === '' ? { text } : { text, confidence })
    } catch (error) {
      reject(error instanceof SpeechError ? error : new SpeechError('engine-failed', String(error)))
    }
  }

  /** Somebody waits: one thread more, where a processor is left for it. The others work meanwhile. */
  #grow(): void {
    clearTimeout(this.#shrinking)
    this.#shrinking = setTimeout(() => this.#shrink(), keptMs).unref()
    if (this.#opening || this.#threads.size >= this.atOnce) return
    this.#opening = true
    const thread = new Thread(this.#options)
    this.#threads.add(thread)
    thread.start().then(
      () => {
        this.#opening = false
        this.#free.push(thread)
        this.#work()
      },
      () => {
        // The first one serves as it did.
        this.#opening = false
        this.#threads.delete(thread)
      },
    )
  }

  #shrink(): void {
    for (const thread of this.#free.filter((each) => each !== this.#first)) {
      this.#free.splice(this.#free.indexOf(thread), 1)
      this.#threads.delete(thread)
      void thread.close()
    }
  }
}

function aborted(): SpeechError {
  return new SpeechError('aborted', 'The recognition is no longer wanted')
}
