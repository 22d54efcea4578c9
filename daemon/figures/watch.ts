/** What is counted, and where it happens: inside the transaction of each deed. */
import type { FeedName } from '../inbox/inbox.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { FaxMissedRow, FaxRow, HistoryRow, InboxFaxRow, InboxItem, ReminderRow, SmsRow, SmsState } from '../store/tables.ts'
import { countsOf, returnedBy, talkedWith } from './calls.ts'
import type { Counts } from './counts.ts'
import { everything, type Figures, type Series } from './figures.ts'

export interface FigureWatchOptions {
  readonly figures: Figures
  /** Calls in which a number outside had a part, the one that ended last first. */
  readonly callsWith: (number: string, limit: number) => readonly HistoryRow[]
}

/** Calls of one number that are looked at, of somebody who was called back. */
const mostLooked = 200
/** Of a text: what is on its way is not counted. */
const counted: readonly (SmsState | undefined)[] = ['sent', 'delivered', 'failed', 'unknown']

export class FigureWatch {
  readonly #options: FigureWatchOptions

  constructor(options: FigureWatchOptions) {
    this.#options = options
  }

  /** A call has ended. */
  ended(record: CallRecordView): void {
    const { figures } = this.#options
    figures.count(() => {
      const at = Date.parse(record.startedAt)
      const { call, extensions, queues } = countsOf(record)
      this.#one('calls', at, call)
      figures.add('extensions', at, extensions)
      figures.add('queues', at, queues)
      for (const number of talkedWith(record)) this.#returned(number, record)
    })
  }

  faxEnded({ state, reason, pagesSent, completedAt, createdAt }: FaxRow): void {
    const why = state === 'failed' ? { [`reason:${reason ?? 'internal'}`]: 1 } : {}
    this.#count('faxes', completedAt ?? createdAt, { [state]: 1, pagesSent, ...why })
  }

  /** A fax call that brought no page. */
  faxMissed({ at }: FaxMissedRow): void {
    this.#count('faxes', at, { withoutPage: 1 })
  }

  arrived(feed: FeedName, item: InboxItem): void {
    if (feed === 'faxes') this.#count('faxes', item.receivedAt, { received: 1, pagesReceived: (item as InboxFaxRow).pages })
    if (feed === 'sms') this.#count('texts', item.receivedAt, { received: 1 })
  }

  /** A text counts in the hour in which it was accepted, as what has become of it. */
  textChanged(before: SmsState | undefined, { state, createdAt }: SmsRow): void {
    if (!counted.includes(state)) return
    if (before !== undefined && counted.includes(before))
      return this.#options.figures.count(() => this.#options.figures.move('texts', createdAt, before, state))
    this.#count('texts', createdAt, { [state]: 1 })
  }

  reminderEnded({ outcome, reason, completedAt, createdAt }: ReminderRow): void {
    // Another one has taken its place, which is counted.
    if (outcome !== null && reason !== 'replaced') this.#count('reminders', completedAt ?? createdAt, { [outcome]: 1 })
  }

  #returned(number: string, { callId, startedAt, extension = '' }: CallRecordView): void {
    const { figures, callsWith } = this.#options
    const others = callsWith(number, mostLooked).filter((row) => row.callId !== callId)
    for (const row of returnedBy(number, Date.parse(startedAt), others)) {
      // Before there were figures it was not counted as missed either.
      if (figures.countedAt('calls', row.startedAt).inbound === undefined) continue
      this.#one('calls', row.startedAt, { returned: 1 })
      figures.add('extensions', row.startedAt, new Map([[extension, { returned: 1 }]]))
    }
  }

  #count(series: Series, at: number, counts: Counts): void {
    this.#options.figures.count(() => this.#one(series, at, counts))
  }

  #one(series: Series, at: number, counts: Counts): void {
    this.#options.figures.add(series, at, new Map([[everything, counts]]))
  }
}
