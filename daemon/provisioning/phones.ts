/**
 * Phones that fetch their settings. A new one shows a code, which is typed into it, or its MAC address, while it is awaited; the first
 * phone to come gets it, for some minutes. What it gets names an address of its own, with a token, by which it comes again for what has
 * changed.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../schema/config.ts'
import type { PhoneRow } from '../store/house-rows.ts'
import type { Store } from '../store/store.ts'

export interface PhonesOptions {
  readonly store: Store
  readonly clock: Clock
  readonly config: Config
}

export interface Phone extends PhoneRow {
  readonly id: string
}

/** How a phone showed that the settings are its own. */
export type Way = 'token' | 'code' | 'mac'

/** After the first file, for the same client: a phone fetches several, one after the other. */
const takingMs = 10 * 60_000
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const secretKey = 'phonesSecret'

/** Letters and digits that nobody takes for others. */
function word(length: number): string {
  // 248 is 8 times 31: every letter is as likely.
  const bytes = [...randomBytes(length * 4)].filter((byte) => byte < 248)
  return bytes.length < length
    ? word(length)
    : bytes
        .slice(0, length)
        .map((byte) => alphabet[byte % alphabet.length])
        .join('')
}

/** As `word` makes them; what else is asked for is in no table. */
const isId = (text: string): boolean => /^[a-z2-9]{6}$/.test(text)

export class Phones {
  readonly #options: PhonesOptions

  constructor(options: PhonesOptions) {
    this.#options = options
  }

  /** In the order of their extensions. */
  list(): Phone[] {
    return [...this.#options.store.tables.phones.range()]
      .map(({ key, value }) => ({ id: key, ...value }))
      .toSorted((a, b) => a.extension.localeCompare(b.extension) || a.createdAt - b.createdAt)
  }

  /** By id, MAC address, or the number of an extension that has one phone. Throws ApiError not_found. */
  find(which: string): Phone {
    const all = this.list()
    const mac = which.replaceAll(/[:-]/g, '').toLowerCase()
    const named = all.filter(({ id, mac: own }) => id === which.toLowerCase() || own === mac)
    const found = named.length > 0 ? named : all.filter(({ extension }) => extension === which)
    if (found.length > 1) throw new ApiError('validation_failed', `Extension ${which} has ${found.length} phones; give the id of one.`)
    if (found[0] === undefined) throw new ApiError('not_found', `There is no phone ${which}.`)
    return found[0]
  }

  /** Awaits a new phone. `alongside` runs in the transaction. Throws ApiError extension_unknown, validation_failed. */
  async add(wanted: Pick<PhoneRow, 'extension' | 'kind' | 'mac' | 'keys'>, minutes: number, alongside: (id: string) => void) {
    const { config, store, clock } = this.#options
    if (!config.extensions.some(({ number }) => number === wanted.extension))
      throw new ApiError('extension_unknown', `There is no extension ${wanted.extension}.`)
    const other = wanted.mac === null ? undefined : this.list().find(({ mac }) => mac === wanted.mac)
    if (other !== undefined)
      throw new ApiError(
        'validation_failed',
        `The phone ${wanted.mac} already belongs to extension ${other.extension}: pbx phones remove ${other.id}`,
      )
    const id = word(6)
    const { code, open } = this.#opened(minutes)
    const row: PhoneRow = { ...wanted, createdAt: clock.now(), open, fetchedAt: null, address: null, userAgent: null }
    await store.transaction(() => {
      if (store.tables.meta.get(secretKey) === undefined) store.tables.meta.put(secretKey, randomBytes(32).toString('hex'))
      store.tables.phones.put(id, row)
      alongside(id)
    })
    return { phone: { id, ...row }, code }
  }

  /** Awaits a known phone again; its former code has expired. */
  async reopen(which: string, minutes: number, alongside: (id: string) => void) {
    const { id, ...row } = this.find(which)
    const { code, open } = this.#opened(minutes)
    await this.#put(id, { ...row, open }, alongside)
    return { phone: { id, ...row, open }, code }
  }

  async remove(which: string, alongside: (id: string) => void): Promise<Phone> {
    const { store } = this.#options
    const phone = this.find(which)
    await store.transaction(() => {
      store.tables.phones.remove(phone.id)
      alongside(phone.id)
    })
    return phone
  }

  /** Whose settings somebody at `address` may have who shows a token or a code; undefined for a stranger. */
  byKey(key: string, address: string): { phone: Phone; way: Way } | undefined {
    const [id = '', proof] = key.split('.')
    if (proof !== undefined) {
      const row = isId(id) ? this.#options.store.tables.phones.get(id) : undefined
      return row !== undefined && same(key, this.token(id)) ? { phone: { id, ...row }, way: 'token' } : undefined
    }
    const wanted = hash('sha256', key.toLowerCase())
    const phone = this.list().find(({ open }) => open !== null && same(open.codeSha256, wanted))
    return phone !== undefined && this.#isOpen(phone, address) ? { phone, way: 'code' } : undefined
  }

  /** The same for a MAC address, which anybody can read on the phone's back: only while the phone is awaited. */
  byMac(mac: string, address: string): { phone: Phone; way: Way } | undefined {
    const phone = this.list().find((one) => one.mac === mac)
    return phone !== undefined && this.#isOpen(phone, address) ? { phone, way: 'mac' } : undefined
  }

  /**
   * Notes who came; the first keeps others out, and nobody is awaited any more once all files of its kind were given. `part`: which of
   * them this is, and of how many. `alongside` runs in the transaction when it is the first file of a fetch. Throws ApiError not_found
   * where somebody else came at the same moment.
   */
  async taken(
    { id }: Phone,
    by: {
      address: string
      userAgent: string
      kind: string | null
      mac: string | null
      way: Way
      part: { readonly file: number; readonly of: number }
    },
    alongside: () => void,
  ) {
    const { store, clock } = this.#options
    const now = clock.now()
    await store.transaction(() => {
      const row = store.tables.phones.get(id)
      if (row === undefined || (by.way !== 'token' && !this.#isOpen({ id, ...row }, by.address)))
        throw new ApiError('not_found', 'Another device has already fetched these settings.')
      const again = row.address === by.address && now - (row.fetchedAt ?? -Infinity) < takingMs
      const open = row.open === null || by.way === 'token' ? row.open : opened(row.open, by, now)
      store.tables.phones.put(id, {
        ...row,
        open,
        kind: row.kind ?? by.kind,
        mac: row.mac ?? by.mac,
        fetchedAt: now,
        address: by.address,
        userAgent: by.userAgent,
      })
      if (!again) alongside()
    })
  }

  /** By which the phone comes again. */
  token(id: string): string {
    return `${id}.${this.#derived(`token:${id}`).toString('base64url').slice(0, 32)}`
  }

  /** Of the phone's own web page. */
  adminPassword(id: string): string {
    return [...this.#derived(`admin:${id}`).subarray(0, 12)].map((byte) => alphabet[byte % alphabet.length]).join('')
  }

  /** Until when it is awaited; null for no more. */
  openUntil({ open }: PhoneRow): number | null {
    return open === null || open.until <= this.#options.clock.now() ? null : open.until
  }

  #isOpen(phone: Phone, address: string): boolean {
    return this.openUntil(phone) !== null && (phone.open!.takenBy ?? address) === address
  }

  #opened(minutes: number): { code: string; open: NonNullable<PhoneRow['open']> } {
    const code = word(8)
    return { code, open: { codeSha256: hash('sha256', code), until: this.#options.clock.now() + minutes * 60_000, takenBy: null } }
  }

  async #put(id: string, row: PhoneRow, alongside: (id: string) => void): Promise<void> {
    const { store } = this.#options
    await store.transaction(() => {
      store.tables.phones.put(id, row)
      alongside(id)
    })
  }

  /** Of the secret of this box, so that nothing of a phone has to be kept in clear. */
  #derived(what: string): Buffer {
    const secret = this.#options.store.tables.meta.get(secretKey)
    if (typeof secret !== 'string') throw new Error('the secret of the phones is missing')
    return createHmac('sha256', secret).update(what).digest()
  }
}

/** After one more file; null after the last one. */
function opened(
  open: NonNullable<PhoneRow['open']>,
  { address, part }: { readonly address: string; readonly part: { readonly file: number; readonly of: number } },
  now: number,
): PhoneRow['open'] {
  const given = [...new Set([...(open.given ?? []), part.file])]
  if (given.length === part.of) return null
  return { ...open, given, takenBy: address, until: open.takenBy === null ? Math.min(open.until, now + takingMs) : open.until }
}

/** By their hashes: texts of any length and letters can be compared in constant time. */
function same(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
