/**
 * Notifies the CRM of calls that are answered and that end, at once and at best effort: what does not get through is in the record that
 * follows the call (queue/).
 */
import type { RecordWatch } from '../history/records.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../base/clock.ts'
import type { AskCrm } from './client/client.ts'

export interface LiveNewsOptions {
  readonly store: Pick<Store, 'afterCommit'>
  readonly clock: Clock
  readonly client: AskCrm
}

/** Older news is no news. */
const newsMs = 60_000

export class LiveNews implements RecordWatch {
  readonly #options: LiveNewsOptions
  /** Calls that live and were answered: the CRM hears of the end after it has heard of the answer. */
  readonly #answered = new Map<string, Promise<unknown>>()

  constructor(options: LiveNewsOptions) {
    this.#options = options
  }

  changed(record: CallRecordView): void {
    if (!this.#options.client.configured) return
    this.#options.store.afterCommit(() => this.#tell(record))
  }

  #tell(record: CallRecordView): void {
    const { callId, state } = record
    const before = this.#answered.get(callId)
    if (state === 'ended') {
      this.#answered.delete(callId)
      const endedAt = Date.parse(record.endedAt!)
      // A record that changes after the call says so in calls/log.
      if (before === undefined && this.#options.clock.now() - endedAt > 5000) return
      void (before ?? Promise.resolve()).then(() => this.#send('end', record, endedAt))
      return
    }
    if (before !== undefined || (state !== 'answered' && state !== 'held')) return
    this.#answered.set(callId, this.#send('answer', record, Date.parse(record.answeredAt ?? record.startedAt)))
  }

  async #send(route: 'answer' | 'end', record: CallRecordView, at: number): Promise<void> {
    const { client, clock } = this.#options
    if (clock.now() - at > newsMs) return
    const { callId, rev } = record
    await client.request({ ask: { route, params: { callId }, body: record }, idempotencyKey: `${callId}:${route}:${rev}` })
  }
}
