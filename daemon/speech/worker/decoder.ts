/** A recogniser with its waiting line: as many decodes at a time as it can do, the more urgent first; what was given up meanwhile is not begun. */
import { SpeechError, type Expectation, type Recogniser, type Recognition, type RecognitionRequest } from '../../../drivers/speech.ts'
import { PriorityQueue } from '../queue.ts'
import { samplesPerMs } from './level.ts'

/** Lower is sooner. Somebody waits for a final text; a partial one is only nice to have. */
export const urgency = { final: 0, speculative: 1, partial: 2 } as const

/** Notifies the watcher that an engine has begun to work on so much audio; the answer is to be called when it is done. */
export type WorkBegun = (audioMs: number) => () => void

export interface Decoded extends Recognition {
  /** The recogniser whose text it is. */
  readonly engine: string
}

/** What an utterance is decoded by. */
export interface Decoding {
  readonly id: string
  /** Throws SpeechError. */
  decode(priority: number, samples: Int16Array, request: RecognitionRequest): Promise<Decoded>
}

export class Decoder implements Decoding {
  readonly #recogniser: Recogniser
  readonly #begun: WorkBegun
  readonly #queue: PriorityQueue

  constructor(recogniser: Recogniser, begun: WorkBegun) {
    this.#recogniser = recogniser
    this.#begun = begun
    this.#queue = new PriorityQueue(recogniser.atOnce ?? 1)
  }

  get id(): string {
    return this.#recogniser.id
  }

  get vocabulary(): Recogniser['vocabulary'] {
    return this.#recogniser.vocabulary
  }

  recognises(language: string): boolean {
    return this.#recogniser.recognises(language)
  }

  /** The text as a closed recogniser writes it, when it is an answer that was named; null otherwise. */
  expected(text: string, expectation: Expectation): string | null {
    return this.#recogniser.expected?.(text, expectation) ?? null
  }

  decode(priority: number, samples: Int16Array, request: RecognitionRequest): Promise<Decoded> {
    return this.#queue.add(priority, async () => {
      if (request.signal?.aborted === true) throw new SpeechError('aborted', 'The text is not wanted any more')
      const done = this.#begun(samples.length / samplesPerMs)
      try {
        return { ...(await this.#recogniser.recognise(samples, request)), engine: this.id }
      } finally {
        done()
      }
    })
  }
}
