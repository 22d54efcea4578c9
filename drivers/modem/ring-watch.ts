/** A ringing line: caller identification comes before the first ring, or between the first and the second. */
import { callerOf, type Caller } from './results.ts'

export interface RingHandlers {
  /** Again at the next ring when it answers false. */
  rings(caller: Caller): boolean
  /** It rings no more. */
  quiet(): void
}

const callerWithinMs = 4000
/** Rings are up to six seconds apart. */
const quietAfterMs = 8000

export class RingWatch {
  readonly #speed: number
  readonly #handlers: RingHandlers
  #fields = new Map<string, string>()
  #told = false
  #rings = 0
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

  ring(): void {
    this.#rings += 1
    this.#restart()
    if (this.#fields.has('NMBR') || this.#rings > 1) this.#tell()
    else this.#patience ??= setTimeout(() => this.#tell(), callerWithinMs / this.#speed)
  }

  /** The call was taken, or the line is no more. */
  forget(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet)
    if (this.#patience !== null) clearTimeout(this.#patience)
    this.#quiet = this.#patience = null
    this.#fields = new Map()
    this.#told = false
    this.#rings = 0
  }

  #restart(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.forget()
      this.#handlers.quiet()
    }, quietAfterMs / this.#speed)
  }

  #tell(): void {
    if (!this.#told) this.#told = this.#handlers.rings(callerOf(this.#fields))
  }
}
