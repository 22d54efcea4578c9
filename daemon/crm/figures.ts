/** Figures about the directory and the CRM, what of both is swept, and what waits for the CRM. */
import type { Figure } from '../base/metrics.ts'
import type { CallEvents } from './call-events.ts'
import type { Cards } from './cards.ts'
import type { Misfits } from './client/misfits.ts'
import type { Directory } from './directory.ts'
import type { Importer } from './import.ts'
import type { Pending } from './queue/pending.ts'
import type { CrmStatus } from './status.ts'
import type { Customers } from './sync/customers.ts'
import type { Tally } from './tally.ts'

export interface Swept {
  readonly cards: Cards
  readonly importer: Importer
  readonly pending: Pending
  readonly tally: Tally
}

export function sweepsOf({ cards, importer, pending, tally }: Swept) {
  return [
    { what: 'cards of the CRM', sweep: () => cards.sweep() },
    { what: 'imported parties whose list was replaced', sweep: () => importer.sweep() },
    { what: 'calls the CRM did not take', sweep: () => pending.sweep() },
    { what: 'figures of the CRM', sweep: () => tally.sweep() },
  ]
}

export function figuresOf(directory: Directory, customers: Customers, events: CallEvents, misfits: Misfits): Figure[] {
  return [
    { name: 'pbx_directory_parties', help: 'Customers in the directory.', type: 'gauge', read: () => [[{}, directory.count()]] },
    {
      name: 'pbx_directory_conflicts',
      help: 'Customers of which the CRM has sent two contradicting versions.',
      type: 'gauge',
      read: () => [[{}, customers.conflicts()]],
    },
    {
      name: 'pbx_crm_answer_faults_total',
      help: 'Members of answers of the CRM that do not match the specification.',
      type: 'counter',
      read: () => misfits.counts().map(([request, count]) => [{ request }, count] as const),
    },
    { name: 'pbx_event_readers', help: 'Programs that read the events of calls.', type: 'gauge', read: () => [[{}, events.readers]] },
  ]
}

export function queueOf(status: CrmStatus, now: number) {
  const { state, queue } = status.view()
  const { pendingLogs, pendingNotes, oldestPendingAt, dead } = queue
  // What was switched off waits because somebody wants it to.
  const oldestAt = oldestPendingAt === null || state === 'disabled' ? null : Math.min(now, Date.parse(oldestPendingAt))
  return { name: 'crm', title: 'calls for the CRM', waiting: pendingLogs + pendingNotes, oldestAt, dead }
}
