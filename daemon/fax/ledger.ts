/** The rows of outgoing faxes on the disk: states as they change, and each end in one piece with its callback. */
import type { Clock } from '../base/clock.ts'
import { keep } from '../jobs/keep.ts'
import type { Log } from '../base/log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Store } from '../store/store.ts'
import type { FaxRow } from '../store/tables.ts'
import { faxCallback } from './view.ts'

export interface FaxLedgerOptions {
  readonly store: Store
  readonly outbox: Outbox
  readonly clock: Clock
  readonly log: Log
}

/** How long a number where a person may have answered is dialled once only for a fax. */
const suspectMs = 24 * 3_600_000

export class FaxLedger {
  readonly #options: FaxLedgerOptions
  readonly #ends = new Set<(row: FaxRow) => void>()

  constructor(options: FaxLedgerOptions) {
    this.#options = options
  }

  /** `work` runs in the transaction that writes the final state of a fax. */
  onEnd(work: (row: FaxRow) => void): void {
    this.#ends.add(work)
  }

  /** Resolves when the row is durable; `alongside` runs in its transaction. */
  put(row: FaxRow, alongside: () => void = () => undefined): Promise<void> {
    const { store } = this.#options
    return store.transaction(() => {
      store.tables.faxes.put(row.faxId, row)
      alongside()
    })
  }

  /** `heardFax`: the number is remembered as that of a fax machine. */
  write(row: FaxRow, heardFax = false): void {
    this.put(row, () => heardFax && this.#remember(row)).catch((error: unknown) =>
      this.#options.log.error({ err: error, faxId: row.faxId }, 'the state of a fax could not be stored'),
    )
  }

  /** A fax in a final state: tries until it is on the disk. False: given up. */
  async settle(row: FaxRow, heardFax: boolean, stopped: () => boolean, alongside?: () => void): Promise<boolean> {
    const { outbox, clock, log } = this.#options
    const callback = row.statusCallbackUrl === '' ? null : faxCallback(row)
    const write = (): Promise<void> =>
      this.put(row, () => {
        if (heardFax) this.#remember(row)
        else if (row.reason === 'no_fax_detected') this.#suspect(row)
        if (callback) outbox.enqueue(callback)
        for (const work of this.#ends) work(row)
        alongside?.()
      })
    const failed = (err: unknown): void => log.error({ err, faxId: row.faxId }, 'the end of this fax could not be stored; trying again')
    if (!(await keep(write, { clock, stopped, failed }))) return false
    if (callback) outbox.wake()
    log.info({ faxId: row.faxId, state: row.state, reason: row.reason, pages: row.pagesSent, attempts: row.attempts }, 'fax ended')
    return true
  }

  /** `known`: a fax machine answered at this number before. `suspect`: none ever did, and a fax was lately given up for it. */
  knows(number: string, now: number): { known: boolean; suspect: boolean } {
    const seen = this.#options.store.tables.faxNumbers.get(number)
    const known = seen !== undefined && seen.answers > 0
    return { known, suspect: !known && seen?.silentAt !== undefined && now - seen.silentAt < suspectMs }
  }

  #suspect(row: FaxRow): void {
    const { faxNumbers } = this.#options.store.tables
    const before = faxNumbers.get(row.to) ?? { number: row.to, answers: 0, answeredAt: 0, remoteStationId: '' }
    faxNumbers.put(row.to, { ...before, silentAt: this.#options.clock.now() })
  }

  #remember(row: FaxRow): void {
    const { faxNumbers } = this.#options.store.tables
    const { to: number, remoteStationId } = row
    const answers = (faxNumbers.get(number)?.answers ?? 0) + 1
    faxNumbers.put(number, { number, answers, answeredAt: this.#options.clock.now(), remoteStationId })
  }
}
