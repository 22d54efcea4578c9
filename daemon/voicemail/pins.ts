/**
 * Which PIN opens a mailbox: the one that was set at a phone, until somebody writes another one into the configuration. A PIN has few
 * digits: what is kept of it takes its time to be tried (scrypt, RFC 7914).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../schema/config.ts'
import { mailboxOf } from '../schema/config/mailboxes.ts'
import type { Store } from '../store/store.ts'
import type { MailboxPinRow } from '../store/tables.ts'
import { formerHashCost, hashCost, hashOfSecret } from '../base/secret-hash.ts'

export interface PinsOptions {
  readonly config: Pick<Config, 'mailboxes' | 'extensions'>
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

export class Pins {
  readonly #options: PinsOptions

  constructor(options: PinsOptions) {
    this.#options = options
  }

  async needed(ext: string): Promise<boolean> {
    if (this.#configured(ext) !== '') return true
    const row = this.#options.store.tables.mailboxPins.get(ext)
    return row !== undefined && this.#stands(ext, row)
  }

  /** Whether this PIN opens the mailbox, which has one. Takes as long whatever is wrong with it. */
  async opens(ext: string, tried: string): Promise<boolean> {
    const row = this.#options.store.tables.mailboxPins.get(ext)
    const salt = row === undefined ? randomBytes(16) : Buffer.from(row.salt, 'hex')
    const cost = row === undefined ? hashCost : costOf(row)
    const [configured, given] = await Promise.all([this.#configured(ext), tried].map((text) => hashOfSecret(text, salt, cost)))
    if (row === undefined || !timingSafeEqual(Buffer.from(row.configured, 'hex'), configured!)) return timingSafeEqual(configured!, given!)
    if (!timingSafeEqual(Buffer.from(row.hash, 'hex'), given!)) return false
    if (row.cost === undefined) await this.#strengthen(ext, row, tried)
    return true
  }

  /** Resolves when it is durable. `alongside` runs in the transaction. */
  async set(ext: string, pin: string, alongside: () => void): Promise<void> {
    const { store, clock } = this.#options
    const row = await this.#rowOf(ext, pin, clock.now())
    await store.transaction(() => {
      store.tables.mailboxPins.put(ext, row)
      alongside()
    })
  }

  async #rowOf(ext: string, pin: string, changedAt: number): Promise<MailboxPinRow> {
    const salt = randomBytes(16)
    const hashes = await Promise.all([pin, this.#configured(ext)].map((text) => hashOfSecret(text, salt)))
    const [hash = '', configured = ''] = hashes.map((one) => one.toString('hex'))
    return { salt: salt.toString('hex'), hash, configured, cost: hashCost, changedAt }
  }

  /** Keeps a PIN, which is known just now, at the cost of today. Where that cannot be written, the next entry tries again. */
  async #strengthen(ext: string, row: MailboxPinRow, pin: string): Promise<void> {
    const { store } = this.#options
    const { mailboxPins } = store.tables
    const stronger = await this.#rowOf(ext, pin, row.changedAt)
    const replace = (): void => {
      if (mailboxPins.get(ext)?.hash === row.hash) mailboxPins.put(ext, stronger)
    }
    await store.transaction(replace).catch(() => undefined)
  }

  /** Forgets the PINs of phones whose configuration has another one by now. */
  async start(): Promise<void> {
    const { store } = this.#options
    const { mailboxPins } = store.tables
    for (const { key, value } of [...mailboxPins.range()])
      // One that does not stand opens nothing, whether it is there or not.
      if (!(await this.#stands(key, value))) await store.transaction(() => void mailboxPins.remove(key)).catch(() => undefined)
  }

  /** Whether the configuration still says what it said when the PIN was set. */
  async #stands(ext: string, row: MailboxPinRow): Promise<boolean> {
    const now = await hashOfSecret(this.#configured(ext), Buffer.from(row.salt, 'hex'), costOf(row))
    return timingSafeEqual(Buffer.from(row.configured, 'hex'), now)
  }

  /** '' for none. */
  #configured(ext: string): string {
    return mailboxOf(this.#options.config, ext)?.pin ?? ''
  }
}

const costOf = ({ cost = formerHashCost }: MailboxPinRow) => cost
