/** Members of the queues: who is logged in, who is paused, since when and why. On the disk before anybody hears of it. */
import type { Clock } from '../../base/clock.ts'
import type { QueueMemberChange } from '../../schema/queues.ts'
import type { Store } from '../../store/store.ts'
import type { QueueMemberRow } from '../../store/tables.ts'

/** Why the box pauses a member. */
export const unanswered = 'unanswered'

export class QueueMembers {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'now'>
  readonly #observers = new Set<(extension: string) => void>()

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store
    this.#clock = clock
  }

  /** The observer is called with a member that is otherwise now. */
  onChange(tell: (extension: string) => void): void {
    this.#observers.add(tell)
  }

  of(queue: string, extension: string): QueueMemberRow {
    const row = this.#store.tables.queueMembers.get(keyOf(queue, extension))
    return row ?? { queue, extension, loggedOutAt: null, pausedAt: null, pauseReason: '' }
  }

  isLoggedIn(queue: string, extension: string): boolean {
    return this.of(queue, extension).loggedOutAt === null
  }

  /** Logged in, and not given up by the box: a member who makes a pause comes back. */
  isExpected(queue: string, extension: string): boolean {
    const { loggedOutAt, pausedAt, pauseReason } = this.of(queue, extension)
    return loggedOutAt === null && (pausedAt === null || pauseReason !== unanswered)
  }

  /** Logged in and not paused. */
  isReady(queue: string, extension: string): boolean {
    const { loggedOutAt, pausedAt } = this.of(queue, extension)
    return loggedOutAt === null && pausedAt === null
  }

  /** Resolves when it is on the disk, together with what `alongside` writes. */
  async change(queue: string, extension: string, change: QueueMemberChange, alongside: () => void = () => undefined): Promise<void> {
    const { queueMembers } = this.#store.tables
    await this.#store.transaction(() => {
      const row = this.of(queue, extension)
      queueMembers.put(keyOf(queue, extension), { ...row, ...changed(row, change, this.#clock.now()) })
      alongside()
    })
    for (const observe of this.#observers) observe(extension)
  }
}

function changed(row: QueueMemberRow, change: QueueMemberChange, now: number): Partial<QueueMemberRow> {
  switch (change.action) {
    case 'login':
      return { loggedOutAt: null, pausedAt: change.paused === true ? now : null, pauseReason: '' }
    case 'logout':
      return { loggedOutAt: row.loggedOutAt ?? now }
    case 'pause':
      return { pausedAt: row.pausedAt ?? now, pauseReason: change.reason ?? '' }
    case 'resume':
      return { pausedAt: null, pauseReason: '' }
  }
}

const keyOf = (queue: string, extension: string): string => `${queue}/${extension}`
