/**
 * The answer to a question whose answers are known (a number of digits, the hints of an application) by two recognisers: the
 * one for free speech, and the one that knows the answers alone. The first hears people better and writes what it likes; the
 * second can write nothing but an answer, so it is asked where the first has none. A string of digits the first is asked for again,
 * of the same words changed a little: it errs with the one and not with the other, so what it hears twice is right.
 */
import type { Expectation, RecognitionRequest } from '../../../drivers/speech.ts'
import { withoutNoise } from '../../../drivers/steady-noise.ts'
import { urgency, type Decoded, type Decoder, type Decoding } from './decoder.ts'

/** Words beyond those of the longest answer, such as "yes, the pharmacy please": more of them is an answer of the caller's own. */
const wordsAround = 3
/**
 * Of people's strings of 8 and 10 digits the grammar gives as many wrong as right (docs/figures/speech.md), and a wrong date of birth is
 * worse than none.
 */
const mostListedDigits = 4
/**
 * Of people's strings of 8 and 10 digits that Whisper base heard twice the same 174 of 187 were right, of the others 25 of 68
 * (docs/figures/speech.md).
 */
const confidenceOf = { agreed: 0.95, doubtful: 0.4 } as const
/** An eighth slower: neither pitch nor words are others to a recogniser, and it may hear one that it lost. */
const slower = 1.12

export class AnswerDecoder implements Decoding {
  readonly #open: Decoder
  readonly #closed: Decoder | null

  /** `closed` is null where none understands the language: hints alone are looked for then, as they are written. */
  constructor(open: Decoder, closed: Decoder | null) {
    this.#open = open
    this.#closed = closed
  }

  get id(): string {
    return this.#open.id
  }

  async decode(priority: number, samples: Int16Array, request: RecognitionRequest): Promise<Decoded> {
    const free = await this.#open.decode(priority, samples, request)
    if (free.text === '' || (request.hints.length === 0 && request.digits === null)) return free
    const answer = this.#answerIn(free, request)
    const whole = priority === urgency.partial || wordsOf(free.text) > longestAnswer(request) + wordsAround
    if (whole || (answer !== null && !isLong(request, answer))) return answer ?? free
    return (await this.#again(priority, samples, request, answer)) ?? (await this.#listed(priority, samples, request)) ?? free
  }

  #answerIn(free: Decoded, request: RecognitionRequest): Decoded | null {
    const text = this.#closed?.expected(free.text, request) ?? hintWritten(free.text, request.hints)
    return text === null ? null : { ...free, text }
  }

  /**
   * Digits once more, without the noise of the line, and then slower: a few until there is that number of them, a long string until it was
   * heard twice the same.
   */
  async #again(priority: number, samples: Int16Array, request: RecognitionRequest, first: Decoded | null): Promise<Decoded | null> {
    if (request.digits === null || this.#closed === null) return null
    const answers = first === null ? [] : [first]
    for (const change of [withoutNoise, slowed]) {
      const changed = change(samples)
      // A line without any noise stays as it is.
      if (changed.length === samples.length && changed.every((sample, at) => sample === samples[at])) continue
      const answer = this.#answerIn(await this.#open.decode(priority, changed, request), request)
      if (answer === null) continue
      if (!isLong(request, answer)) return answer
      if (answers.some(({ text }) => text === answer.text)) return { ...answer, confidence: confidenceOf.agreed }
      answers.push(answer)
    }
    const [best] = answers
    return best === undefined ? null : { ...best, confidence: confidenceOf.doubtful }
  }

  async #listed(priority: number, samples: Int16Array, request: RecognitionRequest): Promise<Decoded | null> {
    const asked = request.digits !== null && request.digits > mostListedDigits ? { ...request, digits: null } : request
    if (this.#closed === null || (asked.digits === null && asked.hints.length === 0)) return null
    const listed = await this.#closed.decode(priority, samples, asked)
    return listed.text === '' ? null : listed
  }
}

/** Whether it is a string of digits that somebody may rely on, such as a date of birth: not a hint that stands next to them. */
function isLong({ digits }: Expectation, { text }: Decoded): boolean {
  return digits !== null && digits > mostListedDigits && wordsOf(text) === digits
}

/** Between two samples on a straight line. */
function slowed(samples: Int16Array): Int16Array {
  return Int16Array.from({ length: Math.floor(samples.length * slower) }, (_, at) => {
    const from = Math.floor(at / slower)
    const part = at / slower - from
    return samples[from]! * (1 - part) + (samples[from + 1] ?? 0) * part
  })
}

/** Without regard to case, accents and punctuation; null when it is none of the hints. */
function hintWritten(text: string, hints: readonly string[]): string | null {
  const plain = (written: string): string =>
    (
      written
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? []
    ).join(' ')
  const written = plain(text)
  return written === '' ? null : (hints.find((hint) => plain(hint) === written)?.trim() ?? null)
}

const wordsOf = (text: string): number => text.match(/[\p{L}\p{N}']+/gu)?.length ?? 0

function longestAnswer({ hints, digits }: Expectation): number {
  return Math.max(digits ?? 0, ...hints.map(wordsOf))
}
