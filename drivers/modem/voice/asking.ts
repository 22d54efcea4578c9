/** A modem that seems to have no voice, though it should: its answer may have been damaged, so it is asked again, later and later, and when it rings. */
export class VoiceAsking {
  readonly #waits: readonly [first: number, most: number]
  readonly #ask: () => void
  #timer: NodeJS.Timeout | undefined
  #waitMs = 0
  /** Since it began to ring. */
  #asked = false
  #voiceless = ''

  /** `ask`: does nothing where the modem is busy. In milliseconds. */
  constructor(waits: readonly [first: number, most: number], ask: () => void) {
    this.#waits = waits
    this.#ask = ask
  }

  /** Why it has no voice; '' where it has, or is not to have any. */
  get voiceless(): string {
    return this.#voiceless
  }

  /** What came of asking, also at first. */
  answered(voiceless: string): void {
    this.#voiceless = voiceless
    this.later()
  }

  later(): void {
    clearTimeout(this.#timer)
    const [first, most] = this.#waits
    const has = this.#voiceless === ''
    this.#waitMs = has ? 0 : Math.min(Math.max(first, this.#waitMs * 2), most * 20)
    if (!has) this.#timer = setTimeout(this.#ask, this.#waitMs)
  }

  /** Whether the caller should wait for one more ring, by which the modem has been asked. */
  atRing(): boolean {
    if (this.#voiceless === '' || this.#asked) return false
    return (this.#asked = true)
  }

  quiet(): void {
    this.#asked = false
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
