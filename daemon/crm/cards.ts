/**
 * The last card that the CRM showed for a number: what people see of a caller while the CRM is away. Tickets, appointments and money of
 * yesterday mislead: they are left out when they are older than 24 hours.
 */
import type { Clock } from '../base/clock.ts'
import type { CardAnswer, LookupAnswer } from '../schema/crm-answers.ts'
import { removeOld } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'
import type { CardRow } from '../store/tables.ts'
import type { Known } from './directory.ts'
import { printable } from './numbers.ts'

const affairsMs = 24 * 3_600_000
const keptMs = 90 * 24 * 3_600_000

export class Cards {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  get(number: string): CardRow | undefined {
    const row = this.#store.tables.crmCards.get(number)
    if (row === undefined) return undefined
    if (this.#clock.now() - row.at < affairsMs) return row
    const { openTickets: _, commitments: __, billing: ___, alerts: ____, ...lasting } = row.card
    return { ...row, card: lasting }
  }

  /** The person the CRM showed; null: nobody, or one of several. */
  known(number: string): Known | null {
    const row = this.#store.tables.crmCards.get(number)
    if (row === undefined || !row.card.found || row.card.matchType === 'ambiguous') return null
    const name = printable(row.card.name ?? row.card.customer?.name ?? '')
    const customerId = row.customerId ?? row.card.customer?.id
    if (name === '' || customerId === undefined) return null
    return { name, customerId, matchType: name.endsWith('?') ? 'suffix' : 'exact' }
  }

  keep(number: string, card: CardAnswer): Promise<void> {
    return this.#put(number, card.found ? { card, at: this.#clock.now() } : null)
  }

  /** What a look-up said of the number: a card that shows somebody else is none any more. */
  async learn(number: string, { found, matchType, matchCount, customer = null }: LookupAnswer): Promise<void> {
    const before = this.#store.tables.crmCards.get(number)
    if (!found || customer === null || matchType === 'ambiguous') {
      if (before !== undefined) await this.#put(number, null)
      return
    }
    const { id, name, status = '' } = customer
    const shown = matchType === 'suffix' ? `${name}?` : name
    if (before !== undefined && this.known(number)?.customerId === id && (before.card.name ?? name) === shown) return
    const counted = { ...(matchType === undefined ? {} : { matchType }), ...(matchCount === undefined ? {} : { matchCount }) }
    await this.#put(number, { card: { found, ...counted, name: shown, status }, customerId: id, at: this.#clock.now() })
  }

  #put(number: string, row: CardRow | null): Promise<void> {
    const { crmCards } = this.#store.tables
    return this.#store.transaction(() => {
      if (row === null) crmCards.remove(number)
      else crmCards.put(number, row)
    })
  }

  /** Inside a transaction. */
  forget(number: string): void {
    this.#store.tables.crmCards.remove(number)
  }

  sweep(): Promise<number> {
    const oldest = this.#clock.now() - keptMs
    return removeOld(this.#store, this.#store.tables.crmCards, { isOld: ({ at }) => at < oldest })
  }
}
