/** Sessions of people: a cookie of 256 bits, of which the SHA-256 is kept; they outlive a restart, lock when nobody is there, and end. */
import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { locked } from '../http/people.ts'
import { newId } from '../base/ids.ts'
import type { PersonRow, SessionRow } from '../store/people-rows.ts'
import type { Store } from '../store/store.ts'

export interface SessionTimes {
  readonly idleMinutes: number
  readonly sessionHours: number
}

export interface SessionOptions {
  readonly store: Store
  readonly clock: Clock
  /** As the configuration has them now. */
  readonly times: () => SessionTimes
}

/** A session with its person, as one request finds them. */
export interface OpenSession {
  readonly key: string
  readonly row: SessionRow
  readonly person: PersonRow
}

/** Wrong PINs or passwords that end a locked session. */
const mostWrongUnlocks = 5
/** How exact the last activity is kept: no more writes than this. */
const activeMs = 15_000

export class Sessions {
  readonly #options: SessionOptions

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Inside of a transaction; the value of the cookie. */
  begin(
    personId: string,
    from: { readonly address: string; readonly userAgent: string },
  ): { cookie: string; key: string; row: SessionRow } {
    const { store, clock, times } = this.#options
    const cookie = randomBytes(32).toString('base64url')
    const now = clock.now()
    const row: SessionRow = {
      sessionId: newId(),
      personId,
      createdAt: now,
      endsAt: now + times().sessionHours * 3_600_000,
      activeAt: now,
      lockedAt: null,
      pin: null,
      wrongUnlocks: 0,
      address: from.address,
      userAgent: from.userAgent.slice(0, 200),
      glass: null,
    }
    const key = hash('sha256', cookie)
    store.tables.sessions.put(key, row)
    return { cookie, key, row }
  }

  /** Undefined where the cookie opens none. A session that was idle for too long is found locked. */
  find(cookie: string): OpenSession | undefined {
    const { store, clock } = this.#options
    const key = hash('sha256', cookie)
    const row = store.tables.sessions.get(key)
    const person = row === undefined ? undefined : store.tables.people.get(row.personId)
    if (row === undefined || person === undefined || person.disabled || row.endsAt <= clock.now()) return undefined
    return { key, row, person }
  }

  /** The same as it is by now. Throws ApiError `session_ended`. */
  again({ key, row: { personId } }: OpenSession): OpenSession {
    const { sessions, people } = this.#options.store.tables
    const row = sessions.get(key)
    const person = people.get(personId)
    if (row === undefined || person === undefined) throw ended()
    return { key, row, person }
  }

  isLocked({ row }: OpenSession): boolean {
    return row.lockedAt !== null || this.locksAt(row) <= this.#options.clock.now()
  }

  locksAt(row: SessionRow): number {
    return Math.min(row.lockedAt ?? Infinity, row.activeAt + this.#options.times().idleMinutes * 60_000)
  }

  /** Somebody is there. Throws ApiError `locked`: what is locked is opened by a secret alone. */
  async alive(session: OpenSession): Promise<void> {
    if (this.isLocked(session)) throw locked()
    const now = this.#options.clock.now()
    if (now - session.row.activeAt < activeMs) return
    await this.#change(session.key, (row) => ({ ...row, activeAt: now }))
  }

  async lock(session: OpenSession, alongside: () => void): Promise<void> {
    const now = this.#options.clock.now()
    await this.#change(session.key, (row) => ({ ...row, lockedAt: row.lockedAt ?? now }), alongside)
  }

  async unlock(session: OpenSession): Promise<void> {
    const now = this.#options.clock.now()
    await this.#change(session.key, (row) => ({ ...row, lockedAt: null, wrongUnlocks: 0, activeAt: now }))
  }

  /** Counts a wrong PIN or password; true where it was the last one and the session has ended. */
  async wrongUnlock(session: OpenSession, alongside: () => void): Promise<boolean> {
    const { store } = this.#options
    return store.transaction(() => {
      const row = store.tables.sessions.get(session.key)
      if (row === undefined) return true
      const wrongUnlocks = row.wrongUnlocks + 1
      if (wrongUnlocks < mostWrongUnlocks) {
        store.tables.sessions.put(session.key, { ...row, wrongUnlocks, lockedAt: row.lockedAt ?? this.#options.clock.now() })
        return false
      }
      store.tables.sessions.remove(session.key)
      alongside()
      return true
    })
  }

  /** Counts a wrong password of somebody who changes the account; true where it was the last one and the session has ended. */
  async wrongConfirmation({ key }: OpenSession): Promise<boolean> {
    const { store } = this.#options
    return store.transaction(() => {
      const row = store.tables.sessions.get(key)
      const wrongUnlocks = (row?.wrongUnlocks ?? mostWrongUnlocks) + 1
      if (row !== undefined && wrongUnlocks < mostWrongUnlocks) store.tables.sessions.put(key, { ...row, wrongUnlocks })
      else store.tables.sessions.remove(key)
      return wrongUnlocks >= mostWrongUnlocks
    })
  }

  async setPin(session: OpenSession, pin: SessionRow['pin']): Promise<void> {
    await this.#change(session.key, (row) => ({ ...row, pin }))
  }

  async breakGlass(session: OpenSession, glass: SessionRow['glass'], alongside: () => void): Promise<void> {
    await this.#change(session.key, (row) => ({ ...row, glass }), alongside)
  }

  /** Inside of a transaction: ends all of a person's, but for `except`. */
  endAllOf(personId: string, except?: string): void {
    const { sessions } = this.#options.store.tables
    for (const { key, value } of [...sessions.range()]) if (value.personId === personId && key !== except) sessions.remove(key)
  }

  *of(personId: string): Iterable<{ key: string; row: SessionRow }> {
    for (const { key, value } of this.#options.store.tables.sessions.range()) if (value.personId === personId) yield { key, row: value }
  }

  /** Inside of a transaction. */
  end(key: string): void {
    this.#options.store.tables.sessions.remove(key)
  }

  /** Removes those that have ended; how many. */
  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    const ended = [...store.tables.sessions.range()].filter(({ value }) => value.endsAt <= clock.now())
    if (ended.length > 0) await store.transaction(() => ended.forEach(({ key }) => store.tables.sessions.remove(key)))
    return ended.length
  }

  async #change(key: string, change: (row: SessionRow) => SessionRow, alongside?: () => void): Promise<void> {
    const { store } = this.#options
    const there = await store.transaction(() => {
      const row = store.tables.sessions.get(key)
      if (row === undefined) return false
      store.tables.sessions.put(key, change(row))
      alongside?.()
      return true
    })
    if (!there) throw ended()
  }
}

const ended = (): ApiError => new ApiError('session_ended', 'The session has ended; sign in again.')
