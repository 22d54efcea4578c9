/**
 * Screens on the wall that show the queues to everybody in the room: no numbers of callers, no names of people. A person types a code at the
 * screen; its session lasts a day, is of nobody, and opens this one page.
 */
import { hash, randomBytes } from 'node:crypto'
import { isoTime, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { codeHash, newCode } from '../people/people.ts'
import type { WallSessionView } from '../schema/queues.ts'
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
  /** Codes that are open, by their hash, until when (of the clock that nobody sets), and who made them. */
  readonly #codes = new Map<string, { readonly until: number; readonly by: string }>()
  /** When each screen was last shown something, by its id: in memory, since a screen asks once a second. */
  readonly #seen = new Map<string, number>()
  #wrong = 0

  constructor(options: WallOptions) {
    this.#options = options
  }

  /** A code for one screen. `by`: name of the person who makes it. */
  invite(by: string): { readonly code: string; readonly until: number } {
    const { clock } = this.#options
    const code = newCode(codeLength)
    this.#wrong = 0
    this.#codes.set(codeHash(code), { until: clock.elapsed() + codeMs, by })
    return { code, until: clock.now() + codeMs }
  }

  /** Value of the cookie. `address`: of the screen. Throws ApiError `invitation_void`. */
  async begin(code: string, address: string, alongside: () => void): Promise<string> {
    const { store, clock } = this.#options
    const known = codeHash(code)
    const invited = this.#codes.get(known)
    this.#codes.delete(known)
    if (invited === undefined || invited.until < clock.elapsed()) {
      if (++this.#wrong >= mostWrong) this.#codes.clear()
      throw new ApiError('invitation_void', 'This code is wrong or has expired; ask for another one.')
    }
    const cookie = randomBytes(32).toString('base64url')
    const beganAt = clock.now()
    const row = { wallId: newId(), beganAt, endsAt: beganAt + wallSeconds * 1000, address, invitedBy: invited.by }
    await store.transaction(() => {
      store.tables.wallSessions.put(hash('sha256', cookie), row)
      alongside()
    })
    return cookie
  }

  /** Until when the screen shows something; throws ApiError `session_ended`. */
  mustBeOpen(cookie: string | undefined): number {
    const { store, clock } = this.#options
    const row = cookie === undefined ? undefined : store.tables.wallSessions.get(hash('sha256', cookie))
    if (row === undefined || row.endsAt <= clock.now()) throw new ApiError('session_ended', 'Type a code to show the queues here.')
    this.#seen.set(row.wallId, clock.now())
    return row.endsAt
  }

  /** Screens that show something, the newest first. */
  list(): WallSessionView[] {
    const { store, clock } = this.#options
    const rows = Array.from(store.tables.wallSessions.range(), ({ value }) => value).filter(({ endsAt }) => endsAt > clock.now())
    return rows
      .toSorted((a, b) => b.beganAt - a.beganAt)
      .map(({ wallId, beganAt, endsAt, address, invitedBy }) => ({
        ...{ wallId, beganAt: isoTime(beganAt), endsAt: isoTime(endsAt), address, invitedBy },
        seenAt: isoTime(this.#seen.get(wallId) ?? null),
      }))
  }

  /** One screen. Throws ApiError `session_unknown`. */
  async end(wallId: string, alongside: () => void): Promise<void> {
    const { store } = this.#options
    const known = await store.transaction(() => {
      const found = [...store.tables.wallSessions.range()].find(({ value }) => value.wallId === wallId)
      if (found === undefined) return false
      store.tables.wallSessions.remove(found.key)
      alongside()
      return true
    })
    if (!known) throw new ApiError('session_unknown', 'This screen has already ended.')
    this.#seen.delete(wallId)
  }

  /** All screens; how many. */
  async endAll(alongside: (count: number) => void): Promise<number> {
    const { store } = this.#options
    this.#codes.clear()
    this.#seen.clear()
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
    for (const { value } of ended) this.#seen.delete(value.wallId)
    return ended.length
  }
}
