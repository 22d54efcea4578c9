/**
 * The transcript of one recording: its speech is decoded piece by piece while it runs. Memory holds the piece that is
 * growing, those that wait for the recogniser, and the texts.
 */
import { SpeechError, type EndpointDetector } from '../../../drivers/speech.ts'
import type { Transcript } from '../hearing.ts'
import type { TranscribeOrder } from '../process/protocol.ts'
import { Chunker, type Chunk } from './chunker.ts'
import { urgency, type Decoder } from './decoder.ts'
import { FrameCutter } from './level.ts'

/** A recogniser that falls this far behind will not catch up. */
const mostWaiting = 40
/** A file is read no faster than this many pieces ahead. */
const readAhead = 2

export interface RecordingOptions {
  readonly request: TranscribeOrder
  readonly detector: EndpointDetector
  readonly onsetDelayMs: number
  readonly releaseDelayMs: number
  readonly decoder: Decoder
  /** Milliseconds of the recording that are done. */
  readonly progress?: (doneMs: number) => void
}

export class RecordingSession {
  readonly #options: RecordingOptions
  readonly #frames = new FrameCutter()
  readonly #chunker: Chunker
  readonly #abort = new AbortController()
  readonly #texts: string[] = []
  #waiting = 0
  #work: Promise<void> = Promise.resolve()
  #room: (() => void) | null = null
  #failure = ''

  constructor(options: RecordingOptions) {
    this.#options = options
    this.#chunker = new Chunker(options)
  }

  audio(samples: Int16Array): void {
    if (this.#failure !== '') return
    this.#frames.push(samples, (frame) => this.#take(this.#chunker.push(frame, this.#options.detector.push(frame))))
  }

  /** Resolves when more audio may come without piling up. */
  async room(): Promise<void> {
    while (this.#waiting > readAhead && this.#failure === '') await new Promise<void>((resolve) => (this.#room = resolve))
  }

  /** Never rejects. */
  async end(): Promise<Transcript> {
    this.#take(this.#chunker.end())
    await this.#work
    const engine = this.#options.decoder.id
    if (this.#failure !== '') return { status: 'failed', text: '', reason: this.#failure, engine }
    const text = this.#texts.join(' ')
    return text === '' ? { status: 'empty', text, reason: '', engine } : { status: 'done', text, reason: '', engine }
  }

  stop(): void {
    this.#fail('aborted')
  }

  #take(chunk: Chunk | null): void {
    if (chunk === null || this.#failure !== '') return
    if (this.#waiting >= mostWaiting) {
      this.#fail('overloaded')
      return
    }
    this.#waiting += 1
    this.#work = this.#work.then(() => this.#decode(chunk))
  }

  async #decode(chunk: Chunk): Promise<void> {
    try {
      if (this.#failure !== '') return
      const request = { ...this.#options.request, digits: null, signal: this.#abort.signal }
      const { text } = await this.#options.decoder.decode(urgency.final, chunk.samples, request)
      if (text.trim() !== '') this.#texts.push(text.trim())
      this.#options.progress?.(chunk.endMs)
    } catch (error) {
      this.#fail(error instanceof SpeechError ? error.code : 'engine-failed')
    } finally {
      this.#waiting -= 1
      this.#wake()
    }
  }

  #fail(reason: string): void {
    if (this.#failure !== '') return
    this.#failure = reason
    this.#abort.abort()
    this.#wake()
  }

  #wake(): void {
    this.#room?.()
    this.#room = null
  }
}
