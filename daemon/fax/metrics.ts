/** Figures about faxes. */
import { type Figure, type Sample, Counts, type Tally } from '../base/metrics.ts'
import type { FaxQueue } from './queue.ts'
import type { FaxRow, InboxFaxRow } from '../store/tables.ts'
import { judge, type FaxOutcome } from './outcome.ts'
import { existsSync } from 'node:fs'
import type { CodedWarning } from '../base/health.ts'
import { pagesFix, pagesSocket } from '../base/services.ts'
import type { Config } from '../schema/config.ts'
import type { Fax } from './fax.ts'

/** What keeps faxes from being received or drawn. */
export function* roomWarning(config: Config, fax: Fax): Iterable<CodedWarning> {
  if (fax.condition().room) return
  const text = `Less than ${config.fax.freeMegabytes} MB are free: fax calls are not answered`
  yield { code: 'fax-room', kind: 'disk', severity: 'error', text, fix: `free space on the file system of ${config.storage.dir}` }
}

export function* readerWarning(): Iterable<CodedWarning> {
  const socket = pagesSocket()
  if (socket === undefined || existsSync(socket)) return
  yield { code: 'pages-down', severity: 'error', text: `PDFs cannot be read: no program listens on ${socket}`, fix: pagesFix }
}

/** Counts of faxes since the start of the daemon, for those who measure it. */
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

export function faxFigures(queue: FaxQueue): readonly Figure[] {
  const { figures } = queue
  const states = ['queued', 'processing', 'dialing', 'sending', 'retrying'] as const
  return [
    {
      name: 'pbx_faxes',
      help: 'Faxes that have not ended.',
      type: 'gauge',
      read: () => states.map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
    },
    { name: 'pbx_faxes_ended_total', help: 'Outgoing faxes that have ended.', type: 'counter', read: () => figures.ended() },
    { name: 'pbx_fax_attempts_total', help: 'Calls made for faxes.', type: 'counter', read: () => figures.attempts() },
    { name: 'pbx_faxes_received_total', help: 'Faxes received.', type: 'counter', read: () => figures.received() },
    {
      name: 'pbx_fax_pages_total',
      help: 'Pages that the far end confirmed, and pages received.',
      type: 'counter',
      read: () => figures.pages(),
    },
    {
      name: 'pbx_fax_line_up',
      help: 'Whether a line can send faxes.',
      type: 'gauge',
      read: () => queue.lines().map((line): Sample => [{ line: line.id }, line.ok ? 1 : 0]),
    },
  ]
}
