/** A ringing line: caller identification comes before the first ring, or between the first and the second. */
import { callerOf, type Caller } from './results.ts'

export interface RingHandlers {
  /** Again at the next ring when it answers false. */
  rings(caller: Caller, cadence: string): boolean
  /** It rings no more. */
  quiet(): void
}

/** A ring that is longer is a long one. */
const longMs = 1200
const callerWithinMs = 4000
/** Within this time a second report is of the same ring: the modem sends a word and a code, or one ring has two bursts. */
const sameRingMs = 800
/** Rings are up to six seconds apart. */
const quietAfterMs = 8000

export class RingWatch {
  readonly #speed: number
  readonly #handlers: RingHandlers
  #fields = new Map<string, string>()
  /** Parts of the ring that is under way, and the last one in words, such as "short short". */
  #parts: string[] = []
  #cadence = ''
  #told = false
  #rings = 0
  #rangAt = -Infinity
  #quiet: NodeJS.Timeout | null = null
  #patience: NodeJS.Timeout | null = null

  constructor(speed: number, handlers: RingHandlers) {
    this.#speed = speed
    this.#handlers = handlers
  }

  get ringing(): boolean {
    return this.#rings > 0
  }

  caller(field: string, value: string): void {
    this.#fields.set(field, value)
    if (this.#rings > 0 && this.#fields.has('NMBR') && this.#fields.has('NAME')) this.#tell()
    else this.#restart()
  }

  /** Comes ahead of the RING that it belongs to. */
  cadence(on: boolean, ms: number): void {
    if (on && this.#parts.length < 8) this.#parts.push(ms > longMs ? 'long' : 'short')
  }

  ring(): void {
    const now = performance.now()
    const same = now - this.#rangAt < sameRingMs / this.#speed
    this.#rangAt = now
    if (same) return
    this.#rings += 1
    this.#cadence = this.#parts.join(' ')
    this.#parts = []
    this.#restart()
    if (this.#fields.has('NMBR') || this.#rings > 1) this.#tell()
    // After a moment without a processor, what the modem has written meanwhile is read first.
    else this.#patience ??= setTimeout(() => setImmediate(() => this.ringing && this.#tell()), callerWithinMs / this.#speed)
  }

  /** The call was taken, or the line is no more. */
  forget(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet)
    if (this.#patience !== null) clearTimeout(this.#patience)
    this.#quiet = this.#patience = null
    this.#fields = new Map()
    this.#parts = []
    this.#cadence = ''
    this.#told = false
    this.#rings = 0
    this.#rangAt = -Infinity
  }

  #restart(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.forget()
      this.#handlers.quiet()
    }, quietAfterMs / this.#speed)
  }

  #tell(): void {
    if (!this.#told) this.#told = this.#handlers.rings(callerOf(this.#fields), this.#cadence)
  }
}
