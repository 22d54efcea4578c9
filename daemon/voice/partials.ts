/**
 * Tells the application what the caller has said so far, while the caller still speaks. One post at a time: what becomes
 * known during one is sent after it, and only the newest. An application that does not take them gets no more.
 */
export interface PartialSpeech {
  readonly speech: string
  /** The caller has paused: these are the words unless more follow. */
  readonly stable: boolean
}

export class PartialPosts {
  /** Resolves false when it was not taken. */
  readonly #post: (partial: PartialSpeech) => Promise<boolean>
  #sent: PartialSpeech = { speech: '', stable: false }
  #next: PartialSpeech | null = null
  #busy = false
  #closed = false

  constructor(post: (partial: PartialSpeech) => Promise<boolean>) {
    this.#post = post
  }

  offer(partial: PartialSpeech): void {
    this.#next = partial
    if (!this.#busy) void this.#run()
  }

  /** Nothing more is sent. A post under way is not waited for and not cut off. */
  close(): void {
    this.#closed = true
  }

  async #run(): Promise<void> {
    this.#busy = true
    while (this.#next !== null && !this.#closed) {
      const next = this.#next
      this.#next = null
      if (next.speech === this.#sent.speech && next.stable === this.#sent.stable) continue
      this.#sent = next
      if (!(await this.#post(next))) this.#closed = true
    }
    this.#busy = false
  }
}
