/** Numbers that asked not to be texted. */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { soughtNumber } from '../numbers/numbers.ts'
import type { Store } from '../store/store.ts'
import type { SmsSuppressedRow } from '../store/tables.ts'

/** Numbers and short codes; what is named by letters cannot be texted anyway. */
const numberPattern = /^\+?\d{2,20}$/

export class Suppression {
  readonly #options: { readonly store: Store; readonly clock: Clock; readonly country: string }

  constructor(options: { store: Store; clock: Clock; country: string }) {
    this.#options = options
  }

  /** `number`: as texts are sent to it, E.164 or a short code. Sees the running transaction. */
  has(number: string): boolean {
    return numberPattern.test(number) && this.#table.get(number) !== undefined
  }

  /** Inside a transaction. `by`: what the person wrote. */
  put(number: string, by: string): void {
    if (!numberPattern.test(number) || this.has(number)) return
    this.#table.put(number, { number, since: this.#options.clock.now(), by: by.slice(0, 40) })
  }

  /** Inside a transaction. */
  drop(number: string): void {
    if (numberPattern.test(number)) this.#table.remove(number)
  }

  list(): SmsSuppressedRow[] {
    return [...this.#table.range()].map(({ value }) => value)
  }

  /** By a person at the box; the number as it is texted. Throws ApiError `number_invalid`. */
  async add(given: string, alongside: () => void = () => undefined): Promise<SmsSuppressedRow> {
    const number = this.#number(given)
    await this.#options.store.transaction(() => {
      this.put(number, 'command')
      alongside()
    })
    return this.#table.get(number)!
  }

  /** False where it was not on the list. Throws ApiError `number_invalid`. */
  remove(given: string, alongside: () => void = () => undefined): Promise<boolean> {
    const number = this.#number(given)
    return this.#options.store.transaction(() => {
      if (!this.#table.remove(number)) return false
      alongside()
      return true
    })
  }

  #number(given: string): string {
    const { dial, kind, warning = 'This is not a telephone number.' } = soughtNumber(given, this.#options.country)
    if (kind === 'invalid' || !numberPattern.test(dial)) throw new ApiError('number_invalid', warning)
    return dial
  }

  get #table() {
    return this.#options.store.tables.smsSuppressed
  }
}
