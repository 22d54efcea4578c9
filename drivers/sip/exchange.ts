/**
 * An engine that was kept over the end of a daemon may be of another file than lies there by now: an upgrade has put a new one in its
 * place. It gives way to that as soon as nobody is in a call.
 */
import { statOf } from '../stat.ts'
import type { EngineHello } from './process.ts'

/** The reports about a call that has ended come at once; a caller who calls again at once is not kept waiting. */
const idleMs = 2000

/** Which file it is, as an engine says it of its own in `hello`; '' where there is none. */
function programOf(path: string): string {
  const found = statOf(path)
  return found === undefined ? '' : `${found.ino}-${found.size}-${Math.floor(found.mtimeMs / 1000)}`
}

export interface ExchangeOptions {
  readonly path: string
  /** The engine in use; null: none. */
  readonly engine: () => Pick<EngineHello, 'returning' | 'program'> | null
  /** Somebody is in a call, or waits for an answer. */
  readonly busy: () => boolean
  readonly exchange: () => void
}

export class IdleExchange {
  readonly #options: ExchangeOptions
  #timer: NodeJS.Timeout | undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** Whenever a call has ended. */
  look(): void {
    const { engine, busy, exchange, path } = this.#options
    this.cancel()
    if (engine()?.returning !== true) return
    this.#timer = setTimeout(() => {
      const kept = engine()
      if (kept === null) return
      if (busy()) return this.look()
      if (!['', kept.program].includes(programOf(path))) exchange()
    }, idleMs).unref()
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }
}
