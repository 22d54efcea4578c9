/**
 * Asks a provider for texts that came, for a box that the provider cannot call. A text is asked for until it is
 * durable: what the newest one was moves on only then. Nothing outlives a restart, after which the last days are asked for
 * again, and the daemon knows by the provider's ids what it has.
 */
import type { InboundText, SmsTrunkLog } from '../sms.ts'

export interface PollerOptions {
  readonly everyMs: number
  readonly log: SmsTrunkLog
  /** Texts since a moment, oldest first; null where the provider could not be asked. */
  fetch(since: number): Promise<readonly InboundText[] | null>
  received(text: InboundText): Promise<void>
}

/** A box may have been off over a weekend. */
const longestMs = 72 * 3_600_000
/** Lists of providers run behind, and clocks differ. */
const overlapMs = 600_000
const mostSeen = 20_000

export class Poller {
  readonly #options: PollerOptions
  readonly #seen = new Set<string>()
  #newest: number | null = null
  #timer: NodeJS.Timeout | null = null
  #round: Promise<void> = Promise.resolve()
  #stopped = true

  constructor(options: PollerOptions) {
    this.#options = options
  }

  start(): void {
    this.#stopped = false
    this.#next(0)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#round
  }

  #next(ms: number): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#round = this.#ask().finally(() => this.#next(this.#options.everyMs))
    }, ms)
  }

  async #ask(): Promise<void> {
    const { log, fetch, received } = this.#options
    const since = this.#newest === null ? Date.now() - longestMs : Math.max(this.#newest - overlapMs, Date.now() - longestMs)
    try {
      for (const text of (await fetch(since)) ?? []) {
        if (this.#stopped) return
        if (!this.#seen.has(text.providerId)) await received(text)
        this.#remember(text)
      }
    } catch (error) {
      log.warn({ err: error }, 'a text of the provider could not be kept; it is asked for again')
    }
  }

  #remember({ providerId, sentAt }: InboundText): void {
    if (providerId !== '') this.#seen.add(providerId)
    if (this.#seen.size > mostSeen) this.#seen.delete(this.#seen.values().next().value!)
    if (sentAt !== null && sentAt <= Date.now()) this.#newest = Math.max(this.#newest ?? 0, sentAt)
  }
}
