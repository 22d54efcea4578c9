/** One reader of the live stream: where it is, what it may see, and whether it still takes what it gets. */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { LiveTopic } from '../schema/live.ts'
import type { Audience, Piece } from './thing.ts'

export interface ReaderOptions {
  readonly clock: Clock
  /** Number of the last event that it has. */
  readonly at: number
  readonly topics: ReadonlySet<LiveTopic>
  readonly audience: Audience
  /** Whether it may see what belongs to a mailbox or a session. */
  readonly sees: (piece: Piece) => boolean
  /** Whether it may read on. */
  readonly mayRead: () => boolean
  /** Resolves when the client takes more. */
  readonly push: (text: string) => Promise<void>
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
}

const heartbeatMs = 5000
/** Who takes nothing for so long is not there. */
const stalledMs = 30_000

export class Reader {
  at: number
  readonly topics: ReadonlySet<LiveTopic>
  readonly audience: Audience
  readonly #options: ReaderOptions
  readonly #ended = Promise.withResolvers<void>()
  /** What was written last. */
  #wroteAt: number
  /** Something written was not taken yet. */
  #full = false
  #over = false

  constructor(options: ReaderOptions) {
    const { at, topics, audience, clock, signal } = options
    this.#options = options
    this.at = at
    this.topics = topics
    this.audience = audience
    this.#wroteAt = clock.elapsed()
    this.#ended.promise.catch(() => undefined)
    if (signal.aborted) this.end()
    else signal.addEventListener('abort', () => this.end(), { once: true })
  }

  /** Rejects with ApiError `overloaded` for a client that takes nothing. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Whether something may be written now. */
  get ready(): boolean {
    return !this.#full && !this.#over
  }

  sees(piece: Piece): boolean {
    return (piece.mailbox === undefined && piece.sessionId === undefined) || this.#options.sees(piece)
  }

  write(text: string): void {
    const { clock, push } = this.#options
    this.#wroteAt = clock.elapsed()
    this.#full = true
    void push(text).then(() => {
      this.#full = false
      this.onFree()
    })
  }

  /** Called when the client takes more. */
  onFree: () => void = () => undefined

  /** Once a second. */
  look(): void {
    const { clock, mayRead } = this.#options
    if (this.#over) return
    if (!mayRead()) {
      if (!this.#full) this.write('event: ended\ndata: {}\n\n')
      return this.end()
    }
    const quietMs = clock.elapsed() - this.#wroteAt
    if (this.#full && quietMs >= stalledMs) this.#cut()
    else if (!this.#full && quietMs >= heartbeatMs) this.write(': heartbeat\n\n')
  }

  end(): void {
    this.#over = true
    this.#ended.resolve()
  }

  #cut(): void {
    this.#over = true
    this.#ended.reject(new ApiError('overloaded', 'The reader of the live stream takes nothing.'))
  }
}
