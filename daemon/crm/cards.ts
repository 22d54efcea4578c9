/**
 * The last card that the CRM showed for a number: what people see of a caller while the CRM is away. Tickets, appointments and money of
 * yesterday mislead: they are left out when they are older than 24 hours.
 */
import type { Clock } from '../clock.ts'
import type { CardAnswer } from '../schema/crm.ts'
import type { Store } from '../store/store.ts'
import { printable } from './names.ts'

const affairsMs = 24 * 3_600_000
const keptMs = 90 * 24 * 3_600_000

export interface KeptCard {
  readonly card: CardAnswer
  /** When it was true. */
  readonly at: number
}

export class Cards {
  readonly #store: Pick<Store, 'tables' | 'transaction'>
  readonly #clock: Clock

  constructor(store: Pick<Store, 'tables' | 'transaction'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  get(number: string): KeptCard | undefined {
    const row = this.#store.tables.crmCards.get(number)
    if (row === undefined) return undefined
    if (this.#clock.now() - row.at < affairsMs) return row
    const { openTickets: _, commitments: __, billing: ___, alerts: ____, ...lasting } = row.card
    return { card: lasting, at: row.at }
  }

  /** '' for nobody; with a question mark where the CRM was not sure. */
  nameOf(number: string): string {
    const { card } = this.#store.tables.crmCards.get(number) ?? {}
    return card?.found === true ? printable(card.name ?? card.customer?.name ?? '') : ''
  }

  keep(number: string, card: CardAnswer): Promise<void> {
    return this.#store.transaction(() => {
      const { crmCards } = this.#store.tables
      if (card.found) crmCards.put(number, { card, at: this.#clock.now() })
      else crmCards.remove(number)
    })
  }

  /** Inside a transaction. */
  forget(number: string): void {
    this.#store.tables.crmCards.remove(number)
  }

  async sweep(): Promise<number> {
    const { crmCards } = this.#store.tables
    const oldest = this.#clock.now() - keptMs
    const old = [...crmCards.range()].filter(({ value }) => value.at < oldest).map(({ key }) => key)
    if (old.length > 0) await this.#store.transaction(() => old.forEach((key) => crmCards.remove(key)))
    return old.length
  }
}
