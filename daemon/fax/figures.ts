/** Counts of faxes since the start of the daemon, for those who measure it. */
import { Counts, type Tally } from '../base/metrics.ts'
import type { FaxRow, InboxFaxRow } from '../store/tables.ts'
import { judge, type FaxOutcome } from './outcome.ts'

export class FaxFigures {
  readonly #ended = new Counts()
  readonly #attempts = new Counts()
  readonly #received = new Counts()
  readonly #pages = new Counts()

  constructor() {
    for (const state of ['sent', 'failed', 'canceled']) this.#ended.add({ state }, 0)
    for (const direction of ['sent', 'received']) this.#pages.add({ direction }, 0)
    for (const status of ['complete', 'partial']) this.#received.add({ status }, 0)
  }

  over(row: FaxRow): void {
    this.#ended.add({ state: row.state })
    this.#pages.add({ direction: 'sent' }, row.pagesSent)
  }

  /** A call of a fax. Where nobody took it there was no transport yet. */
  attempt(outcome: FaxOutcome): void {
    const session = outcome.kind === 'session' || outcome.kind === 'interrupted' ? outcome.progress : null
    this.#attempts.add({ transport: session?.transport ?? 'none', outcome: judge(outcome).class })
  }

  arrived({ status, pages }: Pick<InboxFaxRow, 'status' | 'pages'>): void {
    this.#received.add({ status })
    this.#pages.add({ direction: 'received' }, pages)
  }

  ended(): Tally {
    return this.#ended.tally()
  }

  attempts(): Tally {
    return this.#attempts.tally()
  }

  received(): Tally {
    return this.#received.tally()
  }

  pages(): Tally {
    return this.#pages.tally()
  }
}
