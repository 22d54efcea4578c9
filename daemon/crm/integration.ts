/** Whether the box and the CRM have to do with each other: switched by people, and remembered. */
import { isoTime, type Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import type { CrmSwitchRow } from '../store/tables.ts'

export interface IntegrationState {
  readonly enabled: boolean
  readonly changedAt: string
  readonly changedBy: string
}

const key = 'switch'

export class Integration {
  readonly #store: Pick<Store, 'tables' | 'transaction'>
  readonly #clock: Clock
  readonly #startedAt: number
  #row: CrmSwitchRow | undefined
  #whenEnabled: (() => void)[] = []

  constructor(store: Pick<Store, 'tables' | 'transaction'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#row = store.tables.crmSwitch.get(key)
  }

  get enabled(): boolean {
    return this.#row?.enabled ?? true
  }

  /** By nobody where nobody ever switched it. */
  get state(): IntegrationState {
    const { changedAt = this.#startedAt, changedBy = 'configuration' } = this.#row ?? {}
    return { enabled: this.enabled, changedAt: isoTime(changedAt), changedBy }
  }

  onEnabled(call: () => void): void {
    this.#whenEnabled.push(call)
  }

  /** What is so already stays as it is. `alongside` runs in the transaction. */
  async set(enabled: boolean, changedBy: string, reason: string, alongside: () => void): Promise<IntegrationState> {
    const changes = enabled !== this.enabled
    const row: CrmSwitchRow = { enabled, changedAt: this.#clock.now(), changedBy, reason }
    await this.#store.transaction(() => {
      if (changes) this.#store.tables.crmSwitch.put(key, row)
      alongside()
    })
    if (changes) {
      this.#row = row
      if (enabled) for (const call of this.#whenEnabled) call()
    }
    return this.state
  }
}
