/** What a trunk says of itself. A change of state is reported; a signal that wanders is only stored. */
import type { SmsTrunkLog, SmsTrunkStatus } from '../sms.ts'

export class TrunkStatus {
  readonly #id: string
  readonly #log: SmsTrunkLog
  readonly #changed: () => void
  #status: SmsTrunkStatus = { ok: false, state: 'stopped', text: '', since: Date.now(), facts: {} }

  constructor(id: string, log: SmsTrunkLog, changed: () => void) {
    this.#id = id
    this.#log = log
    this.#changed = changed
  }

  get state(): string {
    return this.#status.state
  }

  now(): SmsTrunkStatus {
    return this.#status
  }

  know(facts: SmsTrunkStatus['facts']): void {
    this.#status = { ...this.#status, facts }
  }

  be(state: string, text = ''): void {
    if (this.#status.state === state && this.#status.text === text) return
    const ok = state === 'ready'
    this.#status = { ...this.#status, ok, state, text, since: Date.now() }
    const quiet = ok || state === 'starting' || state === 'stopped' || state === 'searching'
    this.#log[quiet ? 'info' : 'warn']({ trunk: this.#id, state }, text === '' ? `GSM modem ${this.#id} is ${state}` : text)
    this.#changed()
  }
}
