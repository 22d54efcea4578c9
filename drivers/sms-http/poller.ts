/**
 * Asks a provider for texts that came, for a box that the provider cannot call. A text is asked for until it is
 * durable: the place, which is the time of the newest one, moves on only then. It outlives a restart; what is asked for twice the
 * daemon knows by the provider's ids.
 */
import type { InboundText, SmsPlace, SmsTrunkLog } from '../sms.ts'

export interface PollerOptions {
  readonly everyMs: number
  readonly log: SmsTrunkLog
  readonly place: SmsPlace
  /** Texts since a moment, oldest first; null where the provider could not be asked. */
  fetch(since: number): Promise<readonly InboundText[] | null>
  received(text: InboundText): Promise<void>
}

/** Before the first text: what came over a weekend. */
const firstMs = 72 * 3_600_000
/** A box may have been off over the holidays. The daemon knows ids of providers for twice as long. */
const longestMs = 30 * 24 * 3_600_000
/** Lists of providers run behind, and clocks differ. */
const overlapMs = 600_000
const mostSeen = 20_000

export class Poller {
  readonly #options: PollerOptions
  readonly #seen = new Set<string>()
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
    const since = this.#since()
    let newest: number | null = null
    try {
      const texts = await fetch(since)
      if (texts === null) return
      newest = since
      for (const text of texts) {
        if (this.#stopped) break
        if (!this.#seen.has(text.providerId)) await received(text)
        this.#remember(text)
        const { sentAt } = text
        if (sentAt !== null && sentAt <= Date.now()) newest = Math.max(newest, sentAt)
      }
    } catch (error) {
      log.warn({ err: error }, 'a text of the provider could not be kept; it is asked for again')
    }
    if (newest !== null) await this.#keep(newest)
  }

  #since(): number {
    const place = this.#options.place.get()
    const now = Date.now()
    // A place in the future was kept while the clock was wrong.
    if (place === null || place > now) return now - firstMs
    return Math.max(place - overlapMs, now - longestMs)
  }

  async #keep(newest: number): Promise<void> {
    const { place, log } = this.#options
    const before = place.get()
    if (before !== null && before <= Date.now() && newest <= before) return
    await place.keep(newest).catch((error: unknown) => log.warn({ err: error }, 'how far the texts were read could not be kept'))
  }

  #remember({ providerId }: InboundText): void {
    if (providerId !== '') this.#seen.add(providerId)
    if (this.#seen.size > mostSeen) this.#seen.delete(this.#seen.values().next().value!)
  }
}
