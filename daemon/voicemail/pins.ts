/**
 * Which PIN opens a mailbox: the one that was set at a phone, until somebody writes another one into the configuration. A PIN has few
 * digits: what is kept of it takes its time to be tried (scrypt, RFC 7914).
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Config } from '../schema/config.ts'
import { mailboxOf } from '../schema/config-mailboxes.ts'
import type { Store } from '../store/store.ts'
import type { MailboxPinRow } from '../store/tables.ts'

export interface PinsOptions {
  readonly config: Pick<Config, 'mailboxes' | 'extensions'>
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

const hashBytes = 32

function hashOf(pin: string, salt: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(pin, salt, hashBytes, (error, hash) => (error === null ? resolve(hash) : reject(error)))
  return promise
}

export class Pins {
  readonly #options: PinsOptions

  constructor(options: PinsOptions) {
    this.#options = options
  }

  async needed(ext: string): Promise<boolean> {
    return this.#configured(ext) !== '' || (await this.#own(ext)) !== undefined
  }

  /** Whether this PIN opens the mailbox, which has one. */
  async opens(ext: string, tried: string): Promise<boolean> {
    const own = await this.#own(ext)
    const salt = own === undefined ? randomBytes(16) : Buffer.from(own.salt, 'hex')
    const right = own === undefined ? await hashOf(this.#configured(ext), salt) : Buffer.from(own.hash, 'hex')
    return timingSafeEqual(right, await hashOf(tried, salt))
  }

  /** Resolves when it is durable. `alongside` runs in the transaction. */
  async set(ext: string, pin: string, alongside: () => void): Promise<void> {
    const { store, clock } = this.#options
    const salt = randomBytes(16)
    const [hash, configured] = await Promise.all(
      [pin, this.#configured(ext)].map(async (text) => (await hashOf(text, salt)).toString('hex')),
    )
    await store.transaction(() => {
      store.tables.mailboxPins.put(ext, { salt: salt.toString('hex'), hash: hash!, configured: configured!, changedAt: clock.now() })
      alongside()
    })
  }

  /** Forgets the PINs of phones whose configuration has another one by now. */
  async start(): Promise<void> {
    const { store } = this.#options
    const { mailboxPins } = store.tables
    for (const { key, value } of [...mailboxPins.range()])
      // One that does not stand opens nothing, whether it is there or not.
      if (!(await this.#stands(key, value))) await store.transaction(() => void mailboxPins.remove(key)).catch(() => undefined)
  }

  async #own(ext: string): Promise<MailboxPinRow | undefined> {
    const row = this.#options.store.tables.mailboxPins.get(ext)
    return row !== undefined && (await this.#stands(ext, row)) ? row : undefined
  }

  /** Whether the configuration still says what it said when the PIN was set. */
  async #stands(ext: string, { salt, configured }: MailboxPinRow): Promise<boolean> {
    return timingSafeEqual(Buffer.from(configured, 'hex'), await hashOf(this.#configured(ext), Buffer.from(salt, 'hex')))
  }

  /** '' for none. */
  #configured(ext: string): string {
    return mailboxOf(this.#options.config, ext)?.pin ?? ''
  }
}
