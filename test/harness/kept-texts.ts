/** Handlers of a trunk for texts that keep what they are given, and let a test wait for it. */
import type { InboundText, SmsReport, SmsTrunkHandlers } from '../../drivers/sms.ts'

export class KeptTexts implements SmsTrunkHandlers {
  readonly texts: InboundText[] = []
  readonly reports: SmsReport[] = []
  /** How often a text was offered. */
  calls = 0
  /** What durability says; a test may make it fail. */
  store: () => Promise<void> = () => Promise.resolve()
  readonly #once: boolean
  #changed: (() => void)[] = []

  /** `once`: a text that has been kept is not kept again, by the id of its provider, as the daemon does. */
  constructor(once = false) {
    this.#once = once
  }

  async received(text: InboundText): Promise<void> {
    this.calls++
    await this.store()
    if (!this.#once || !this.texts.some(({ providerId }) => providerId === text.providerId)) this.texts.push(text)
    this.statusChanged()
  }

  async report(report: SmsReport): Promise<void> {
    await this.store()
    this.reports.push(report)
    this.statusChanged()
  }

  statusChanged(): void {
    for (const wake of this.#changed.splice(0)) wake()
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#changed.push(resolve))
  }
}
