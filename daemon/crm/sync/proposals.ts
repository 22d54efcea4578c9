/**
 * Names that people of the house gave customers of the CRM. The CRM owns them: each is proposed to it (`POST customers/:id/sync` with the
 * customer as changed), and what it answers is so. A CRM that is away is asked again for two weeks; one that does not want it is not.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import type { PartyProposalRow } from '../../store/tables.ts'
import type { Directory } from '../directory.ts'
import { partyView } from '../lookup.ts'
import type { Customers } from './customers.ts'
import type { Reading } from './reading.ts'

export interface ProposalsOptions {
  readonly store: Pick<Store, 'tables' | 'transaction'>
  readonly clock: Clock
  readonly log: Log
  readonly configured: boolean
  /** Whether the integration is switched on. */
  readonly enabled: () => boolean
  readonly directory: Directory
  readonly reading: Reading
  readonly customers: Pick<Customers, 'take'>
}

const keptMs = 14 * 24 * 3_600_000

export class Proposals {
  readonly #options: ProposalsOptions
  #sending: Promise<void> | null = null

  constructor(options: ProposalsOptions) {
    this.#options = options
  }

  /** Throws ApiError `integration_disabled` where there is no CRM to ask. */
  mustBeTaken(): void {
    if (!this.#options.configured)
      throw new ApiError('integration_disabled', 'This customer comes from the CRM, but no CRM is configured that could change it.')
  }

  /** Inside a transaction; of two proposals for one customer the later one is made. */
  put(id: string, name: string): void {
    const { store, clock, directory } = this.#options
    if (directory.get(id)?.name === name) store.tables.partyProposals.remove(id)
    else store.tables.partyProposals.put(id, { name, at: clock.now(), eventId: newId() })
  }

  /** Proposes what waits, as soon as it may. */
  wake(): void {
    void this.send()
  }

  /** Proposes what waits, one after the other, until the CRM does not answer. Never rejects. */
  async send(): Promise<void> {
    while (this.#sending !== null) await this.#sending
    this.#sending = this.#all()
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'names could not be proposed to the CRM'))
      .finally(() => (this.#sending = null))
    await this.#sending
  }

  async #all(): Promise<void> {
    const { store, clock, configured, enabled } = this.#options
    if (!configured || !enabled()) return
    for (const { key: id, value: row } of [...store.tables.partyProposals.range()]) {
      if (clock.now() - row.at > keptMs) await this.#drop(id, row, 'the CRM did not answer for too long')
      else if (!(await this.#propose(id, row))) return
    }
  }

  /** Whether the CRM answered. */
  async #propose(id: string, row: PartyProposalRow): Promise<boolean> {
    const { directory, reading } = this.#options
    const party = directory.get(id)
    if (party?.source !== 'crm') return (await this.#drop(id, row, 'the customer no longer exists'), true)
    const answer = await reading.propose(id, { ...partyView(party), name: row.name }, row.eventId)
    if ('failed' in answer) {
      if (answer.failed === 'away') return false
      return (await this.#drop(id, row, answer.reason), true)
    }
    // A CRM that only says that it has taken it is asked what it has now.
    const now = 'customer' in answer ? answer.customer : await reading.one(id)
    await this.#settle(id, row, () => {
      if (now !== null && !('failed' in now)) this.#options.customers.take(now, { sure: true })
    })
    return true
  }

  async #drop(id: string, row: PartyProposalRow, reason: string): Promise<void> {
    this.#options.log.warn({ customerId: id, reason }, 'the CRM did not accept a name')
    await this.#settle(id, row, () => undefined)
  }

  /** Another name may have been typed meanwhile: that one is still to be proposed. */
  #settle(id: string, { eventId }: PartyProposalRow, alongside: () => void): Promise<void> {
    const { store } = this.#options
    return store.transaction(() => {
      alongside()
      if (store.tables.partyProposals.get(id)?.eventId === eventId) store.tables.partyProposals.remove(id)
    })
  }
}
