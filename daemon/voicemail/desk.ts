/** The mailboxes as clients outside the daemon see them. */
import { isoTime } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { MailboxCountsView, MailboxMessageView } from '../schema/mailboxes.ts'
import type { Boxes } from './boxes.ts'
import type { Locks } from './menu/locks.ts'

export class MailboxDesk {
  readonly #boxes: Boxes
  readonly #locks: Locks
  readonly #numbers: () => readonly string[]

  /** `numbers`: of the mailboxes that exist. */
  constructor(boxes: Boxes, locks: Locks, numbers: () => readonly string[]) {
    this.#boxes = boxes
    this.#locks = locks
    this.#numbers = numbers
  }

  list(): readonly MailboxCountsView[] {
    const locks = this.#locks.locked()
    return this.#numbers().map((ext) => {
      const own = locks.filter((lock) => lock.ext === ext)
      const lockedUntil = own.length === 0 ? null : isoTime(Math.max(...own.map(({ until }) => until)))
      return { ext, ...this.#boxes.counts(ext), lockedUntil, lockedPhones: own.map(({ phone }) => phone) }
    })
  }

  /** Oldest first. Throws ApiError mailbox_unknown. */
  messages(ext: string): readonly MailboxMessageView[] {
    this.#mustExist(ext)
    return this.#boxes.messages(ext).map(({ message, heard }) => {
      const { id, from, callerName, receivedAt, durationSeconds } = message
      return { id, from, callerName, receivedAt: isoTime(receivedAt), durationSeconds, heard }
    })
  }

  /** `record` runs in the transaction. Throws ApiError: mailbox_unknown, not_found. */
  async mark(ext: string, id: string, heard: boolean, record: () => void): Promise<void> {
    this.#mustExist(ext)
    await this.#boxes.mark(ext, id, heard, record)
  }

  /** Whether it was locked. `record` runs in the transaction. Throws ApiError mailbox_unknown. */
  async unlock(ext: string, record: () => void): Promise<boolean> {
    this.#mustExist(ext)
    return this.#locks.unlock(ext, record)
  }

  #mustExist(ext: string): void {
    if (!this.#numbers().includes(ext)) throw new ApiError('mailbox_unknown', `There is no mailbox ${ext}.`)
  }
}
