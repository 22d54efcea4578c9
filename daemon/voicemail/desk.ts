/** The mailboxes as clients outside the daemon see them. */
import { isoTime } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { peaksOf, timedWords } from '../../drivers/wav-peaks.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { MailboxCountsView, MailboxMessageView, PeaksView } from '../schema/mailboxes.ts'
import type { InboxVoicemailRow } from '../store/tables.ts'
import type { Boxes } from './boxes.ts'
import type { Locks } from './menu/locks.ts'

export interface MailboxDeskOptions {
  readonly boxes: Boxes
  readonly locks: Locks
  /** Of the mailboxes that exist. */
  readonly numbers: () => readonly string[]
  readonly inbox: Pick<Inbox, 'media' | 'voicemails'>
  /** Messages of a mailbox that are not in the inbox yet. */
  readonly coming: (ext: string) => number
  /** Whether the disk has no room for another message. */
  readonly full: () => boolean
  readonly forward: (message: InboxVoicemailRow, to: string, record: (id: string) => void) => Promise<void>
}

export class MailboxDesk {
  readonly #options: MailboxDeskOptions

  constructor(options: MailboxDeskOptions) {
    this.#options = options
  }

  list(): readonly MailboxCountsView[] {
    const { boxes, numbers, coming, full } = this.#options
    const locks = this.#options.locks.locked()
    const isFull = full()
    return numbers().map((ext) => {
      const own = locks.filter((lock) => lock.ext === ext)
      const lockedUntil = own.length === 0 ? null : isoTime(Math.max(...own.map(({ until }) => until)))
      return { ext, ...boxes.counts(ext), coming: coming(ext), full: isFull, lockedUntil, lockedPhones: own.map(({ phone }) => phone) }
    })
  }

  /** Oldest first. Throws ApiError mailbox_unknown. */
  messages(ext: string): readonly MailboxMessageView[] {
    this.#mustExist(ext)
    return this.#options.boxes.messages(ext).map(({ message, heard }) => {
      const { id, from, callerName, receivedAt, durationSeconds, transcript, transcriptStatus, forwardedFrom = null } = message
      const words = { transcript, transcriptStatus, forwardedFrom, mediaUrl: `/api/inbox/voicemails/${id}.wav` }
      return { id, from, callerName, receivedAt: isoTime(receivedAt), durationSeconds, heard, ...words }
    })
  }

  /** `record` runs in the transaction. Throws ApiError: mailbox_unknown, not_found. */
  async mark(ext: string, id: string, heard: boolean, record: () => void): Promise<void> {
    this.#mustExist(ext)
    await this.#options.boxes.mark(ext, id, heard, record)
  }

  /** Whether it was locked. `record` runs in the transaction. Throws ApiError mailbox_unknown. */
  async unlock(ext: string, record: () => void): Promise<boolean> {
    this.#mustExist(ext)
    return this.#options.locks.unlock(ext, record)
  }

  /** `record` runs in the transaction, with the id of the copy. Throws ApiError: mailbox_unknown, not_found. */
  async forward(ext: string, id: string, to: string, record: (id: string) => void): Promise<void> {
    this.#mustExist(ext)
    this.#mustExist(to)
    const found = this.#options.boxes.messages(ext).find(({ message }) => message.id === id)
    if (found === undefined) throw new ApiError('not_found', `There is no such message in the mailbox ${ext}.`)
    await this.#options.forward(found.message, to, record)
  }

  /** Of a message, whose mailbox `mayHear` is asked of. Throws ApiError: not_found, media_expired. */
  async peaks(id: string, mayHear: (ext: string) => void): Promise<PeaksView> {
    const { inbox } = this.#options
    const media = inbox.media('voicemails', id)
    if (media === 'purged') throw new ApiError('media_expired', 'This item has been deleted.')
    const item = media && inbox.voicemails.find((one) => one.id === id)?.item
    if (media === undefined || item === undefined) throw new ApiError('not_found', 'There is no item with that id.')
    mayHear(item.ext)
    const peaks = await peaksOf(media.file)
    const words = timedWords(item.transcript, peaks)
    return { durationMs: peaks.durationMs, peaks: [...peaks.peaks], ...(words.length === 0 ? {} : { words }) }
  }

  #mustExist(ext: string): void {
    if (!this.#options.numbers().includes(ext)) throw new ApiError('mailbox_unknown', `There is no mailbox ${ext}.`)
  }
}
