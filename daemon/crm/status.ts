/** How it stands between the box and the CRM: `GET /api/pbx/sync/status` and `pbx crm status`. */
import { isoTime, type Clock } from '../base/clock.ts'
import type { SyncStatusView } from '../schema/crm-status.ts'
import type { CrmClient } from './client/client.ts'
import type { Integration } from './integration.ts'
import type { Pending } from './queue/pending.ts'
import type { Sender } from './queue/sender.ts'

export interface CrmStatusOptions {
  readonly clock: Clock
  readonly client: CrmClient
  readonly integration: Integration
  readonly pending: Pick<Pending, 'dead'>
  readonly sender: Pick<Sender, 'order'>
  /** Of the directory. */
  readonly customers: () => SyncStatusView['customers']
  /** Looks through the directory where it has changed since. */
  readonly settled: () => Promise<unknown>
  /** Why the last list of all customers was not taken as it came; '' where it was. */
  readonly listFault: () => string
  readonly currentSync: () => SyncStatusView['currentSync']
}

/** What waits longer is a fault. */
const lateMs = 5 * 60_000

export class CrmStatus {
  readonly #options: CrmStatusOptions

  constructor(options: CrmStatusOptions) {
    this.#options = options
  }

  /** With numbers that were counted after the last change; while a list is being read, as they were before it. */
  async settled(): Promise<SyncStatusView> {
    if (this.#options.currentSync() === null) await this.#options.settled()
    return this.view()
  }

  view(): SyncStatusView {
    const { client, customers, currentSync } = this.#options
    const { figures, circuit, configured } = client
    const { lastSuccessAt, lastFailureAt, lastError, clockSkewMs } = figures
    const queue = this.#queue()
    const sync = currentSync()
    return {
      state: this.#state(queue.oldest, sync !== null),
      enabled: this.#options.integration.enabled,
      crm: {
        configured,
        reachable: lastSuccessAt !== null && circuit === 'closed' && lastError === null,
        circuit,
        lastSuccessAt: isoTime(lastSuccessAt),
        lastFailureAt: isoTime(lastFailureAt),
        lastError: lastError ?? (this.#options.listFault() || null),
        p95Ms: figures.p95Ms(),
        clockSkewMs,
        answerFaults: { count: client.misfits.total, last: client.misfits.last },
      },
      queue: { pendingLogs: queue.logs, pendingNotes: queue.notes, oldestPendingAt: isoTime(queue.oldest), dead: queue.dead },
      customers: customers(),
      currentSync: sync,
    }
  }

  #state(oldest: number | null, syncs: boolean): SyncStatusView['state'] {
    const { client, integration, clock } = this.#options
    if (!client.configured) return 'unconfigured'
    if (!integration.enabled) return 'disabled'
    if (this.#options.listFault() !== '' || client.circuit !== 'closed' || (oldest !== null && clock.now() - oldest > lateMs))
      return 'degraded'
    return syncs ? 'syncing' : 'healthy'
  }

  #queue() {
    const { order } = this.#options.sender
    return { logs: order.size - order.notes, notes: order.notes, oldest: order.oldest?.endedAt ?? null, dead: this.#options.pending.dead }
  }
}
