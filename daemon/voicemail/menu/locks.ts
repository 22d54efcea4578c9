/**
 * Wrong PINs: a caller who guesses is cut off, and kept out of the box for a while. Callers at other phones, above all the owner at the own
 * one, keep the tries of their phone. Durable, so that a restart gives no new tries.
 */
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'

const mostWrong = 10
const withinMs = 3_600_000
const lockedMs = 3_600_000

export interface LocksOptions {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/** A phone that is kept out of a box. */
export interface Lock {
  readonly ext: string
  /** Number of the phone's extension. */
  readonly phone: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

export class Locks {
  readonly #options: LocksOptions

  constructor(options: LocksOptions) {
    this.#options = options
  }

  isLocked(ext: string, phone: string): boolean {
    const { store, clock } = this.#options
    return (store.tables.mailboxLocks.get(keyOf(ext, phone))?.lockedUntil ?? 0) > clock.now()
  }

  locked(): readonly Lock[] {
    const { store, clock } = this.#options
    return Array.from(store.tables.mailboxLocks.range(), ({ key, value: { lockedUntil: until } }) => {
      const [ext = '', phone] = key.split(' ')
      // Without a phone it is one of an earlier version, which locked everybody out.
      return phone === undefined || until <= clock.now() ? [] : [{ ext, phone, until }]
    }).flat()
  }

  /** A wrong PIN was tried at this phone; durable when this resolves. */
  async wrong(ext: string, phone: string): Promise<void> {
    const { store, clock, log } = this.#options
    const key = keyOf(ext, phone)
    await store.transaction(() => {
      const { mailboxLocks } = store.tables
      const now = clock.now()
      const wrongAt = [...(mailboxLocks.get(key)?.wrongAt ?? []).filter((at) => now - at < withinMs), now]
      const full = wrongAt.length >= mostWrong
      mailboxLocks.put(key, { wrongAt: full ? [] : wrongAt, lockedUntil: full ? now + lockedMs : 0 })
      if (full) log.error({ ext, phone }, 'a mailbox is locked for this phone: so many wrong PINs')
    })
  }

  /** For all phones; whether there was one. `alongside` runs in the transaction. */
  async unlock(ext: string, alongside: () => void): Promise<boolean> {
    const was = this.locked().some((lock) => lock.ext === ext)
    const { store } = this.#options
    await store.transaction(() => {
      const { mailboxLocks } = store.tables
      for (const { key } of [...mailboxLocks.range()]) if (key.split(' ')[0] === ext) mailboxLocks.remove(key)
      alongside()
    })
    return was
  }

  /** The clock was set: an hour stays an hour. */
  async stepped(stepMs: number): Promise<void> {
    const { store } = this.#options
    await store.transaction(() => {
      const { mailboxLocks } = store.tables
      for (const { key, value } of [...mailboxLocks.range()])
        mailboxLocks.put(key, {
          wrongAt: value.wrongAt.map((at) => at + stepMs),
          lockedUntil: value.lockedUntil === 0 ? 0 : value.lockedUntil + stepMs,
        })
    })
  }
}

const keyOf = (ext: string, phone: string): string => `${ext} ${phone}`
