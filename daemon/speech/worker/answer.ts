/**
 * The answer to a question whose answers are known (a number of digits, the hints of an application) by two recognisers: the
 * one for free speech, and the one that knows the answers alone. The first hears people better and writes what it likes; the
 * second can write nothing but an answer, so it is asked where the first has none.
 */
import type { Expectation, RecognitionRequest } from '../../../drivers/speech.ts'
import type { Decoded, Decoder, Decoding } from './decoder.ts'

/** Words beyond those of the longest answer, such as "yes, the pharmacy please": more of them is an answer of the caller's own. */
const wordsAround = 3

export class AnswerDecoder implements Decoding {
  readonly #open: Decoder
  readonly #closed: Decoder

  constructor(open: Decoder, closed: Decoder) {
    this.#open = open
    this.#closed = closed
  }

  get id(): string {
    return this.#open.id
  }

  async decode(priority: number, samples: Int16Array, request: RecognitionRequest): Promise<Decoded> {
    const free = await this.#open.decode(priority, samples, request)
    if (free.text === '' || (request.hints.length === 0 && request.digits === null)) return free
    const answer = this.#closed.expected(free.text, request)
    if (answer !== null) return { ...free, text: answer }
    if (wordsOf(free.text) > longestAnswer(request) + wordsAround) return free
    const listed = await this.#closed.decode(priority, samples, request)
    return listed.text === '' ? free : listed
  }
}

const wordsOf = (text: string): number => text.match(/[\p{L}\p{N}']+/gu)?.length ?? 0

function longestAnswer({ hints, digits }: Expectation): number {
  return Math.max(digits ?? 0, ...hints.map(wordsOf))
}
