/** The rows of texts on the disk, and the network's references by which reports find them again. */
import { createHash } from 'node:crypto'
import type { SmsReport } from '../../drivers/sms.ts'
import type { Clock } from '../base/clock.ts'
import { keep } from '../jobs/keep.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { SmsReferenceRow, SmsRow, SmsState } from '../store/tables.ts'

/** Whether two numbers are one: a network names them with and without +, or without the country. */
export function sameNumber(a: string, b: string): boolean {
  const [left, right] = [a, b].map((number) => number.replaceAll(/\D/g, '').replace(/^0+/, '')) as [string, string]
  if (left === right) return left !== ''
  return Math.min(left.length, right.length) >= 7 && (left.endsWith(right) || right.endsWith(left))
}

export interface LedgerOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

export class SmsLedger {
  readonly #options: LedgerOptions
  readonly #states = new Set<(before: SmsState | undefined, row: SmsRow) => void>()

  constructor(options: LedgerOptions) {
    this.#options = options
  }

  /** `work` runs in the transaction in which the state of a text changes. `before`: undefined where the text is new. */
  onState(work: (before: SmsState | undefined, row: SmsRow) => void): void {
    this.#states.add(work)
  }

  /** Resolves when the rows are durable; `alongside` runs in their transaction. */
  put(rows: readonly SmsRow[], alongside: () => void = () => undefined): Promise<void> {
    const { store } = this.#options
    return store.transaction(() => {
      for (const row of rows) this.#write(row)
      alongside()
    })
  }

  /** What a trunk did: tries until it is on the disk. False: given up because of the stop. */
  settle(read: () => SmsRow, before: readonly (string | null)[], stopped: () => boolean): Promise<boolean> {
    const { store, clock, log } = this.#options
    const write = (): Promise<void> =>
      store.transaction(() => {
        const row = read()
        this.#write(row)
        this.#refer(row, before)
      })
    return keep(write, {
      clock,
      stopped,
      failed: (err) => log.error({ err, messageId: read().messageId }, 'the result of a text could not be stored; trying again'),
    })
  }

  /** The newest text and part with this reference to this recipient. Sees the running transaction. */
  find(trunkId: string, { reference, to }: Pick<SmsReport, 'reference' | 'to'>): SmsReferenceRow | undefined {
    const prefix = referenceKey(trunkId, reference)
    const range = this.#options.store.tables.smsReferences.range({ start: `${prefix}/`, end: `${prefix}0`, reverse: true })
    for (const { value } of range) if (to === '' || sameNumber(to, value.to)) return value
    return undefined
  }

  /** Parts to this number whose answer was lost, the oldest first; some may be settled since. Sees the running transaction. */
  *indeterminate(trunkId: string, to: string): Iterable<SmsReferenceRow> {
    const prefix = indeterminateKey(trunkId, to)
    for (const { value } of this.#options.store.tables.smsReferences.range({ start: `${prefix}/`, end: `${prefix}0` })) yield value
  }

  /** Inside a transaction: a row that a report has changed. */
  putReported(row: SmsRow, before: readonly (string | null)[]): void {
    this.#write(row)
    this.#refer(row, before)
  }

  #write(row: SmsRow): void {
    const { sms } = this.#options.store.tables
    const before = this.#states.size === 0 ? undefined : sms.get(row.messageId)?.state
    sms.put(row.messageId, row)
    if (before !== row.state) for (const work of this.#states) work(before, row)
  }

  /** Inside a transaction: the references that are new since `before`, and parts whose answer was lost. */
  #refer(row: SmsRow, before: readonly (string | null)[]): void {
    const { store, clock } = this.#options
    const { messageId, trunkId, to, state, accepted } = row
    const at = clock.now()
    accepted.forEach((reference, part) => {
      const indeterminate = reference === null && state === 'unknown'
      if (!indeterminate && (reference === null || reference === '' || before[part] === reference)) return
      const prefix = reference === null ? indeterminateKey(trunkId, to) : referenceKey(trunkId, reference)
      const key = `${prefix}/${String(at).padStart(15, '0')}/${messageId}/${String(part).padStart(2, '0')}`
      store.tables.smsReferences.put(key, { messageId, part, to, at })
    })
  }
}

/** What a provider calls a text may be of any form. */
function referenceKey(trunkId: string, reference: string): string {
  return `${trunkId}/${createHash('sha256').update(reference).digest('hex').slice(0, 24)}`
}

/** The last digits are the same however a network writes the number. */
function indeterminateKey(trunkId: string, to: string): string {
  return `${trunkId}/doubt-${to.replaceAll(/\D/g, '').slice(-7)}`
}
