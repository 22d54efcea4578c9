/**
 * The reminders that have not ended: each is called when its time has come, a line is free and its number may be called. What is decided
 * here is decided once more on the row itself, in the transaction that changes it.
 */
import { Alarm, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { newCallId } from '../base/ids.ts'
import { keep, rewriteMs, UnderWay } from '../jobs/keep.ts'
import { maskNumber, type Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { ReminderRow } from '../store/tables.ts'
import type { ReminderCaller, ReminderCallRequest, ReminderCallResult, ReminderLine } from './caller.ts'
import { callRequest, checkCallNow, insteadOfCalling, type Planner } from './due.ts'
import { ReminderFigures, newJob, type Job } from './figures.ts'
import { isTerminal, isUnderWay, isWithdrawn, type ReminderInput } from './job.ts'
import type { ReminderLedger } from './ledger.ts'
import { inOrderOfRecovery, recoverReminders } from './recover.ts'
import type { ReminderSettings } from './settings.ts'
import { Bookings } from './slots.ts'

export interface ReminderQueueOptions {
  readonly settings: ReminderSettings
  readonly store: Store
  readonly ledger: ReminderLedger
  readonly caller: ReminderCaller
  readonly clock: Clock
  readonly log: Log
  /** Whether the time of day can be believed; by default it is. */
  readonly clockTrusted?: () => boolean
}

/** How often a reminder that is due looks for a line. */
const lineWaitMs = 5000
const untrustedMs = 5000
/** The clock of the box may be set right, by years, while it waits. */
const longestSleepMs = 300_000
const rowsAtOnce = 500

export class ReminderQueue {
  readonly #options: ReminderQueueOptions
  readonly #jobs = new Map<string, Job>()
  readonly #underWay: UnderWay
  readonly #writes = new Set<Promise<unknown>>()
  readonly figures = new ReminderFigures()
  readonly bookings: Bookings
  readonly #planner: Planner
  readonly #alarm: Alarm
  #stopped = true
  #held = false
  #recovered = false
  #noLineSince: number | null = null

  constructor(options: ReminderQueueOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'the reminders failed'))
    this.#alarm = new Alarm(options.clock, () => this.#turn())
    this.bookings = new Bookings(options.settings.lines)
    this.#planner = { ...options, bookings: this.bookings }
  }

  /** Takes up what the last run of the daemon left; calls begin when that is on the disk. */
  start(): void {
    this.#stopped = false
    const { store, log, clock } = this.#options
    const left = inOrderOfRecovery(
      Array.from(store.tables.reminders.pending(), ({ value }) => value),
      clock.now(),
    )
    for (const row of left) this.#jobs.set(row.reminderId, newJob(row))
    if (left.length > 0) log.info({ reminders: left.length }, 'reminders wait from before')
    const recovering = this.#underWay.track(this.#recover(left))
    this.#writes.add(recovering)
    void recovering.finally(() => this.#writes.delete(recovering))
  }

  /** The clock was set: what is due now is looked up again. */
  stepped(): void {
    for (const job of this.#jobs.values()) job.notBefore = 0
    this.#noLineSince = null
    this.#later(0)
  }

  /** While on, no call is placed. */
  hold(on: boolean): void {
    this.#held = on
    this.#later(0)
  }

  /** No further call is placed; calls in progress go on. */
  drain(): void {
    this.#stopped = true
    this.#alarm.stop()
  }

  /** After the calls have been ended: resolves when their ends are written. */
  async stop(): Promise<void> {
    this.drain()
    await this.#underWay.lastWord(this.#options.clock)
  }

  /** Resolves when nothing is on its way to the disk. */
  async settled(): Promise<void> {
    while (this.#writes.size > 0) await Promise.allSettled(this.#writes)
  }

  get waiting(): number {
    return this.#jobs.size
  }

  /** Calls under way. */
  get calling(): number {
    return [...this.#jobs.values()].filter((job) => job.call !== null).length
  }

  /** Since when a reminder that is due finds no line; null where none does. */
  get noLineSince(): number | null {
    return this.#noLineSince
  }

  /** Reminders that have not ended, by state. */
  states(): ReadonlyMap<ReminderRow['state'], number> {
    const counts = new Map<ReminderRow['state'], number>()
    for (const { row } of this.#jobs.values()) counts.set(row.state, (counts.get(row.state) ?? 0) + 1)
    return counts
  }

  /** When the next call is planned; null for never. */
  nextAt(): number | null {
    const next = [...this.#jobs.values()].reduce((least, { row }) => Math.min(least, row.nextAttemptAt ?? Infinity), Infinity)
    return next === Infinity ? null : next
  }

  /** A durable row whose slot is taken already. */
  add(row: ReminderRow): void {
    if (isTerminal(row)) return this.figures.over(row)
    this.#jobs.set(row.reminderId, { ...newJob(row), booked: row.nextAttemptAt })
    this.#later(0)
  }

  /** The row was changed on the disk by somebody else. */
  refresh(reminderId: string): void {
    const job = this.#jobs.get(reminderId)
    const row = this.#options.store.tables.reminders.get(reminderId)
    if (job !== undefined && row !== undefined) this.#take(job, row)
  }

  /** False when it is finished already. Resolves when the end is durable. Throws ApiError `reminder_unknown`. */
  async cancel(reminderId: string, alongside?: () => void): Promise<boolean> {
    const job = this.#jobs.get(reminderId)
    if (job !== undefined && isTerminal(job.row)) return false
    if (job !== undefined) return (await this.#apply(job, { type: 'withdraw', reason: 'deleted' }, alongside)).reason === 'deleted'
    if (this.#options.store.tables.reminders.get(reminderId) !== undefined) return false
    throw new ApiError('reminder_unknown', 'There is no reminder with that id.')
  }

  /** Calls at once, in the hours in which anybody may be called. Throws ApiError: already_finished, call_live, validation_failed. */
  async callNow(reminderId: string, alongside?: () => void): Promise<ReminderRow> {
    const now = this.#options.clock.now()
    const job = this.#jobs.get(reminderId)
    if (job === undefined) throw new ApiError('already_finished', 'This reminder has already ended.')
    checkCallNow(this.#planner, job.row, now)
    job.urged = true
    await this.#apply(job, { type: 'plan', at: now }, alongside)
    return job.row
  }

  async #recover(left: readonly ReminderRow[]): Promise<void> {
    const { clock, log } = this.#options
    const takeUp = async (): Promise<void> => {
      for (let at = 0; at < left.length || at === 0; at += rowsAtOnce) {
        const chunk = left.slice(at, at + rowsAtOnce)
        const rows = await recoverReminders({ ...this.#options, bookings: this.bookings }, chunk, at + rowsAtOnce >= left.length)
        for (const row of rows) {
          const job = this.#jobs.get(row.reminderId)!
          job.booked = row.nextAttemptAt
          this.#take(job, row)
        }
      }
    }
    this.#recovered = await keep(takeUp, {
      clock,
      stopped: () => this.#stopped,
      failed: (err) => log.error({ err }, 'earlier reminders could not be loaded; trying again'),
    })
    this.#later(0)
  }

  #later(ms: number): void {
    if (!this.#stopped) this.#alarm.within(ms)
  }

  #turn(): void {
    if (this.#stopped || !this.#recovered) return
    const { clock, settings, caller, clockTrusted = () => true } = this.#options
    // By a clock that may be hours off nobody is rung, and nothing is too late.
    if (!clockTrusted()) return this.#later(untrustedMs)
    const now = clock.now()
    const numbers = new Set<string>()
    const due: Job[] = []
    let next = Infinity
    let calls = 0
    for (const job of this.#jobs.values()) {
      if (job.call !== null) {
        calls += 1
        numbers.add(job.row.number)
      } else if (job.writing === 0) {
        const at = Math.max(job.row.nextAttemptAt ?? Infinity, job.notBefore)
        if (at <= now) due.push(job)
        else next = Math.min(next, at)
      }
    }
    due.sort((a, b) => a.row.nextAttemptAt! - b.row.nextAttemptAt! || (a.row.reminderId < b.row.reminderId ? -1 : 1))
    let lineless = false
    let unserved = false
    for (const job of due) {
      if (numbers.has(job.row.number)) continue
      const instead = insteadOfCalling(this.#planner, job.row, now, job.urged)
      if (instead !== null) {
        job.urged = false
        this.#underWay.track(this.#applySafely(job, instead))
        continue
      }
      const line = this.#held || lineless || calls >= settings.lines ? null : caller.claim(job.row.number)
      if (line === null) {
        lineless = true
        unserved = true
        continue
      }
      calls += 1
      numbers.add(job.row.number)
      this.#underWay.track(this.#dial(job, line))
    }
    const noLine = unserved && !this.#held && calls < settings.lines
    this.#noLineSince = noLine ? (this.#noLineSince ?? now) : null
    if (noLine) next = Math.min(next, now + lineWaitMs)
    if (next !== Infinity) this.#later(Math.min(next - now, longestSleepMs))
  }

  async #dial(job: Job, line: ReminderLine): Promise<void> {
    const { clock, log, settings } = this.#options
    const call = (job.call = new AbortController())
    const { reminderId } = job.row
    const callId = newCallId()
    try {
      let request: ReminderCallRequest | undefined
      // A call that the disk does not know of would be made again after a crash, as if it had never been.
      await this.#apply(job, { type: 'dial', callId }, (row) => line.prepare((request = callRequest(row, settings))))
      if (request === undefined) return
      const asked = request
      const result =
        this.#stopped || isTerminal(job.row)
          ? ({ kind: 'not-placed', text: 'the system is stopping' } as const)
          : await line
              .call(
                asked,
                {
                  inCall: (at) => void this.#underWay.track(this.#keep(job, { type: 'answered', at })),
                  decided: async (outcome, reason) => void (await this.#apply(job, { type: 'decided', outcome, reason })),
                },
                call.signal,
              )
              .catch((error: unknown): ReminderCallResult => {
                log.error({ err: error, reminderId, callId }, 'a reminder call failed')
                return { kind: 'failed', text: String(error) }
              })
      this.figures.attempt(result.kind)
      log.info({ reminderId, callId, to: maskNumber(asked.number), result: result.kind }, 'reminder call ended')
      await this.#keep(job, { type: 'ended', result })
    } catch (error) {
      log.error({ err: error, reminderId }, 'a reminder could not be dialled')
      job.notBefore = clock.now() + rewriteMs
    } finally {
      line.release()
      job.call = null
      this.#forget(job)
      this.#later(0)
    }
  }

  /** Resolves with the row when it is durable. */
  async #apply(job: Job, input: ReminderInput, alongside?: (row: ReminderRow) => void): Promise<ReminderRow> {
    job.writing += 1
    const written = this.#options.ledger.apply(job.row.reminderId, input, alongside)
    this.#writes.add(written)
    try {
      const row = await written
      if (row !== undefined) this.#take(job, row)
      return job.row
    } finally {
      job.writing -= 1
      this.#writes.delete(written)
      this.#later(0)
    }
  }

  async #applySafely(job: Job, input: ReminderInput): Promise<void> {
    try {
      await this.#apply(job, input)
    } catch (error) {
      this.#options.log.error({ err: error, reminderId: job.row.reminderId }, 'the state of a reminder could not be stored')
      job.notBefore = this.#options.clock.now() + rewriteMs
      this.#later(rewriteMs)
    }
  }

  /** What happened cannot be taken back: tries until it is on the disk. */
  async #keep(job: Job, input: ReminderInput): Promise<void> {
    const { clock, log } = this.#options
    const { reminderId } = job.row
    await keep(() => this.#apply(job, input), {
      clock,
      stopped: () => this.#stopped,
      failed: (err) => log.error({ err, reminderId }, 'the result of a reminder call could not be stored; trying again'),
    })
  }

  #take(job: Job, row: ReminderRow): void {
    const wasTerminal = isTerminal(job.row)
    job.row = row
    if (job.booked !== row.nextAttemptAt) {
      if (job.booked !== null) this.bookings.release(job.booked)
      if (row.nextAttemptAt !== null) this.bookings.take(row.nextAttemptAt)
      job.booked = row.nextAttemptAt
    }
    if (isUnderWay(row)) job.urged = false
    if (!isTerminal(row) || wasTerminal) return
    this.figures.over(row)
    if (isWithdrawn(row)) job.call?.abort()
    this.#forget(job)
  }

  /** One that was withdrawn holds its number until its call has been hung up. */
  #forget(job: Job): void {
    if (isTerminal(job.row) && job.call === null) this.#jobs.delete(job.row.reminderId)
  }
}
