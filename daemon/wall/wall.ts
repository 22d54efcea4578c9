/**
 * Screens on the wall that show the queues to everybody in the room: no numbers of callers, no names of people. A person types a code at the
 * screen; its session lasts a day, is of nobody, and opens this one page.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { codeHash, newCode } from '../people/people.ts'
import type { Store } from '../store/store.ts'

export interface WallOptions {
  readonly store: Store
  readonly clock: Clock
}

const codeMs = 10 * 60_000
const codeLength = 8
/** Wrong codes after which all that are open are void. */
const mostWrong = 5
export const wallSeconds = 24 * 3600

export class Wall {
  readonly #options: WallOptions
  /** Codes that are open, by their hash, until when (of the clock that nobody sets). */
  readonly #codes = new Map<string, number>()
  #wrong = 0

  constructor(options: WallOptions) {
    this.#options = options
  }

  /** A code for one screen. */
  invite(): { readonly code: string; readonly until: number } {
    const { clock } = this.#options
    const code = newCode(codeLength)
    this.#wrong = 0
    this.#codes.set(codeHash(code), clock.elapsed() + codeMs)
    return { code, until: clock.now() + codeMs }
  }

  /** Value of the cookie. Throws ApiError `invitation_void`. */
  async begin(code: string, alongside: () => void): Promise<string> {
    const { store, clock } = this.#options
    const known = codeHash(code)
    const until = this.#codes.get(known)
    this.#codes.delete(known)
    if (until === undefined || until < clock.elapsed()) {
      if (++this.#wrong >= mostWrong) this.#codes.clear()
      throw new ApiError('invitation_void', 'This code is wrong or has expired; ask for another one.')
    }
    const cookie = randomBytes(32).toString('base64url')
    const endsAt = clock.now() + wallSeconds * 1000
    await store.transaction(() => {
      store.tables.wallSessions.put(hash('sha256', cookie), { endsAt })
      alongside()
    })
    return cookie
  }

  /** Until when the screen shows something; throws ApiError `session_ended`. */
  mustBeOpen(cookie: string | undefined): number {
    const { store, clock } = this.#options
    const row = cookie === undefined ? undefined : store.tables.wallSessions.get(hash('sha256', cookie))
    if (row === undefined || row.endsAt <= clock.now()) throw new ApiError('session_ended', 'Type a code to show the queues here.')
    return row.endsAt
  }

  /** All screens; how many. */
  async endAll(alongside: (count: number) => void): Promise<number> {
    const { store } = this.#options
    this.#codes.clear()
    return store.transaction(() => {
      const keys = [...store.tables.wallSessions.range()].map(({ key }) => key)
      keys.forEach((key) => store.tables.wallSessions.remove(key))
      alongside(keys.length)
      return keys.length
    })
  }

  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    const ended = [...store.tables.wallSessions.range()].filter(({ value }) => value.endsAt <= clock.now())
    if (ended.length > 0) await store.transaction(() => ended.forEach(({ key }) => store.tables.wallSessions.remove(key)))
    return ended.length
  }
}
