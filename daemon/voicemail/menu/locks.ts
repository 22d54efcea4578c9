/** Wrong PINs: who guesses is cut off, and the box is locked for a while. Durable, so that a restart gives no new tries. */
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'

const mostWrong = 10
const withinMs = 3_600_000
const lockedMs = 3_600_000

export interface LocksOptions {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

export class Locks {
  readonly #options: LocksOptions

  constructor(options: LocksOptions) {
    this.#options = options
  }

  /** Until when the box is locked, in milliseconds since the epoch; null where it is not. */
  lockedUntil(ext: string): number | null {
    const { store, clock } = this.#options
    const until = store.tables.mailboxLocks.get(ext)?.lockedUntil ?? 0
    return until > clock.now() ? until : null
  }

  locked(): readonly string[] {
    const rows = this.#options.store.tables.mailboxLocks.range()
    return Array.from(rows, ({ key }) => key).filter((ext) => this.lockedUntil(ext) !== null)
  }

  /** A wrong PIN was tried; durable when this resolves. */
  async wrong(ext: string): Promise<void> {
    const { store, clock, log } = this.#options
    await store.transaction(() => {
      const { mailboxLocks } = store.tables
      const now = clock.now()
      const wrongAt = [...(mailboxLocks.get(ext)?.wrongAt ?? []).filter((at) => now - at < withinMs), now]
      const full = wrongAt.length >= mostWrong
      mailboxLocks.put(ext, { wrongAt: full ? [] : wrongAt, lockedUntil: full ? now + lockedMs : 0 })
      if (full) log.error({ ext }, 'a mailbox is locked: so many wrong PINs')
    })
  }

  /** Whether it was locked. `alongside` runs in the transaction. */
  async unlock(ext: string, alongside: () => void): Promise<boolean> {
    const was = this.lockedUntil(ext) !== null
    const { store } = this.#options
    await store.transaction(() => {
      store.tables.mailboxLocks.remove(ext)
      alongside()
    })
    return was
  }
}
