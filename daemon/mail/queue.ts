/**
 * The queue of mails. A mail is accepted when its message and its row are on the disk; it is tried at once and again until
 * the server took it, refused it or it expired, also across restarts. One at a time, over one connection.
 */
import { afterStep, type Clock, type Timer } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { keep, UnderWay } from '../jobs/keep.ts'
import { newest } from '../jobs/newest.ts'
import type { Log } from '../base/log.ts'
import { removeEnded } from '../store/remove-old.ts'
import type { KeptClass, Store } from '../store/store.ts'
import type { MailRow } from '../store/tables.ts'
import type { MailAccount } from './account.ts'
import type { MailFiles } from './files.ts'
import { afterAttempt, isTerminal, longestPauseMs, replyCode, type MailResult } from './job.ts'

export interface MailQueueOptions {
  readonly account: MailAccount
  readonly files: MailFiles
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Mails that may wait. */
  readonly most: number
  /** Retention of mails in a final state. */
  readonly keepMs: number
  /** 0 to 1. */
  readonly random?: () => number
}

export interface MailCondition {
  readonly ok: boolean
  readonly reason: string
  readonly waiting: number
  readonly oldestAt: number | null
}

export interface LostNotice {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

const hourMs = 3_600_000
/** Of the last lost notice, among the facts about the box. */
const lossKey = 'mail-lost'

export class MailQueue {
  readonly #options: MailQueueOptions
  readonly #waiting = new Map<string, MailRow>()
  /** Being written. */
  #coming = 0
  /** Those of this run, by its clock. */
  readonly #accepted = new Set<string>()
  readonly #watchers = new Map<string, () => void>()
  readonly ended = { delivered: 0, failed: 0 }
  /** The last mail that notified somebody of something and was given up, also by an earlier run. */
  lostNotice: LostNotice | null = null
  #fault = ''
  /** The mail that is being sent; '' for none. */
  #current = ''
  #timer: Timer | null = null
  readonly #underWay: UnderWay
  #stopped = true

  constructor(options: MailQueueOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'the queue of mails failed'))
  }

  /** Takes up what the last run of the daemon left. */
  start(): void {
    const { store, clock, log } = this.#options
    this.#stopped = false
    for (const { value } of store.tables.mails.pending()) this.#waiting.set(value.mailId, this.#shifted(value, 0, clock.now()))
    const lost = store.tables.meta.get(lossKey)
    this.lostNotice = typeof lost === 'string' ? (JSON.parse(lost) as LostNotice) : null
    if (this.#waiting.size > 0) log.info({ mails: this.#waiting.size }, 'mails wait from before')
    this.#pump()
  }

  /** The clock was set: what waits is as far away as it was. */
  stepped(stepMs: number): void {
    const { store, clock, log } = this.#options
    const now = clock.now()
    for (const [mailId, row] of this.#waiting) this.#waiting.set(mailId, this.#shifted(row, stepMs, now))
    const rows = [...this.#waiting.values()].filter(({ mailId }) => mailId !== this.#current)
    store
      .transaction(() => rows.forEach((row) => store.tables.mails.put(row.mailId, row)))
      .catch((error: unknown) => log.warn({ err: error }, 'the times of mails that wait could not be stored'))
    this.#pump()
  }

  #shifted(row: MailRow, stepMs: number, now: number): MailRow {
    const { nextAttemptAt, expiresAt } = row
    return {
      ...row,
      nextAttemptAt: nextAttemptAt === null ? null : afterStep(nextAttemptAt, stepMs, now, longestPauseMs),
      expiresAt: this.#accepted.has(row.mailId) ? expiresAt + stepMs : expiresAt,
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#underWay.lastWord(this.#options.clock)
  }

  /** Throws ApiError `overloaded`. */
  checkRoom(): void {
    if (this.#waiting.size + this.#coming < this.#options.most) return
    throw new ApiError('overloaded', `${this.#waiting.size} mails are waiting; try again later.`, { retryAfterSeconds: 60 })
  }

  /** Resolves when the row is durable; `alongside` runs in its transaction. */
  async add(row: MailRow, alongside: () => void, as?: KeptClass): Promise<void> {
    const { store } = this.#options
    this.checkRoom()
    this.#coming += 1
    const written = store.transaction(() => {
      store.tables.mails.put(row.mailId, row)
      alongside()
    }, as)
    await written.finally(() => (this.#coming -= 1))
    this.#waiting.set(row.mailId, row)
    this.#accepted.add(row.mailId)
    this.#pump()
  }

  /** Resolves after the next attempt of a mail, or when it took too long. */
  attempted(mailId: string, clock: Clock, mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel()
        this.#watchers.delete(mailId)
        resolve()
      }
      const timer = clock.after(mostMs, end)
      this.#watchers.set(mailId, end)
    })
  }

  find(mailId: string): MailRow | undefined {
    return this.#waiting.get(mailId) ?? this.#options.store.tables.mails.get(mailId)
  }

  /** Newest first. */
  list(limit: number, before?: string): readonly MailRow[] {
    const current = (mailId: string): MailRow | undefined => this.#waiting.get(mailId)
    return newest(this.#options.store.tables.mails, { limit, cursor: before, current }).rows
  }

  /** Removes a mail and its message; one that waits is not sent any more. Throws ApiError: mail_unknown, being_sent. */
  async remove(mailId: string, alongside: () => void): Promise<void> {
    const { store, files } = this.#options
    if (this.#current === mailId) throw new ApiError('being_sent', 'This mail is being sent at this moment; try again in a minute.')
    const waits = this.#waiting.get(mailId)
    if (store.tables.mails.get(mailId) === undefined) throw new ApiError('mail_unknown', 'There is no mail with that id.')
    this.#waiting.delete(mailId)
    try {
      await store.transaction(() => {
        store.tables.mails.remove(mailId)
        alongside()
      })
    } catch (error) {
      if (waits !== undefined) this.#waiting.set(mailId, waits)
      throw error
    }
    await files.drop(mailId)
    this.#watchers.get(mailId)?.()
  }

  /** Makes a mail that waits due now; false where it is in a final state. */
  hurry(mailId: string): boolean {
    const row = this.#waiting.get(mailId)
    if (row === undefined) return false
    this.#waiting.set(mailId, { ...row, nextAttemptAt: this.#options.clock.now() })
    this.#pump()
    return true
  }

  condition(): MailCondition {
    const oldestAt = [...this.#waiting.values()].reduce<number | null>(
      (least, row) => Math.min(least ?? row.createdAt, row.createdAt),
      null,
    )
    return { ok: this.#fault === '', reason: this.#fault, waiting: this.#waiting.size, oldestAt }
  }

  #pump(): void {
    if (this.#stopped || this.#current !== '') return
    this.#timer?.cancel()
    this.#timer = null
    const { clock } = this.#options
    const next = [...this.#waiting.values()].reduce<MailRow | undefined>(
      (best, row) => (best === undefined || dueAt(row) < dueAt(best) ? row : best),
      undefined,
    )
    if (next === undefined) return
    const inMs = next.nextAttemptAt === null ? 0 : next.nextAttemptAt - clock.now()
    if (inMs > 0) {
      this.#timer = clock.after(inMs, () => this.#pump())
      return
    }
    this.#current = next.mailId
    void this.#underWay.track(
      this.#send(next).finally(() => {
        this.#current = ''
        this.#pump()
      }),
    )
  }

  async #send(row: MailRow): Promise<void> {
    const { account, files, log, clock, random = Math.random } = this.#options
    const result: MailResult = (await files.has(row.mailId))
      ? await account.deliver(row, files.read(row.mailId))
      : { kind: 'refused', text: 'The message is no longer on the disk.', reply: '' }
    this.#judgeAccount(result)
    const next = afterAttempt(row, result, clock.now(), random() * 2 - 1)
    await this.#write(next)
    if (isTerminal(next)) {
      this.#waiting.delete(row.mailId)
      this.#accepted.delete(row.mailId)
      this.ended[next.state === 'delivered' ? 'delivered' : 'failed'] += 1
      if (isLostNotice(next)) this.lostNotice = lossOf(next)
      await files
        .drop(row.mailId)
        .catch((error: unknown) => log.warn({ err: error, mailId: row.mailId }, 'a sent message could not be removed'))
    } else this.#waiting.set(row.mailId, next)
    // The server's words name the recipient: they are in `pbx mail list`, and its codes here.
    log.info({ mailId: row.mailId, state: next.state, attempts: next.attempts, code: replyCode(next.reply) }, 'mail')
    this.#watchers.get(row.mailId)?.()
  }

  #judgeAccount(result: MailResult): void {
    this.accountIs(result.kind === 'temporary' && result.account ? result.text : '')
  }

  /** What is wrong with the account, '' for nothing: what waits because of it need not wait longer once it is well. */
  accountIs(text: string): void {
    const fault = text !== ''
    if (!fault && this.#fault !== '') {
      const now = this.#options.clock.now()
      for (const [mailId, row] of this.#waiting)
        if (row.accountFault) this.#waiting.set(mailId, { ...row, nextAttemptAt: now, accountFault: false })
    }
    if (fault && this.#fault === '') this.#options.log.error({ reason: text }, 'mail cannot be sent')
    this.#fault = text
  }

  /** A mail that is through and not written would be sent again: tried until it is on the disk. */
  async #write(row: MailRow): Promise<void> {
    const { store, log, clock } = this.#options
    const write = (): void => {
      store.tables.mails.put(row.mailId, row)
      // The warning outlives the run in which nobody was notified.
      if (isLostNotice(row)) store.tables.meta.put(lossKey, JSON.stringify(lossOf(row)))
    }
    await keep(() => store.transaction(write), {
      clock,
      stopped: () => this.#stopped,
      failed: (err) => log.error({ err, mailId: row.mailId }, 'the result of a mail could not be stored; trying again'),
    })
  }

  /** Removes rows past their time, and messages that no row names; how many. */
  async sweep(): Promise<number> {
    const { store, files, clock, keepMs } = this.#options
    const now = clock.now()
    const removed = await removeEnded(store, store.tables.mails, now - keepMs)
    // A request under way has a file but no row yet.
    await files.sweep((mailId, modifiedAt) => this.#waiting.has(mailId) || now - modifiedAt < hourMs)
    return removed
  }
}

function dueAt(row: MailRow): number {
  return row.nextAttemptAt ?? row.createdAt
}

const isLostNotice = ({ state, about }: MailRow): boolean => state === 'failed' && about !== undefined
const lossOf = ({ completedAt, createdAt, error }: MailRow): LostNotice => ({ at: completedAt ?? createdAt, text: error })
