/**
 * The queue of outgoing texts. A text is accepted when its row is on the disk; from then on it is handed to its trunk as the
 * window of the trunk allows, in order for each recipient, and tried again until it is sent, refused or expired,
 * also across restarts. Before a trunk is given a text, the disk knows; what is found in that state by the next start may
 * have been sent.
 */
import type { SmsOutcome, SmsReport, SmsTrunk } from '../../drivers/sms.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { rewriteMs, UnderWay } from '../jobs/keep.ts'
import { newest, type Page } from '../jobs/newest.ts'
import { maskNumber, type Log } from '../base/log.ts'
import type { Reach } from '../numbers/reach.ts'
import type { Store } from '../store/store.ts'
import type { SmsRow, SmsState } from '../store/tables.ts'
import { isWaiting, step, type SmsEffect, type SmsInput, type SmsMoment } from './job.ts'
import { JobList, newJob, shiftTimes, tell, type Job } from './job-list.ts'
import { SmsLedger } from './ledger.ts'
import { removeText, outbound, pause } from './remove.ts'
import { SmsReports, SmsFigures } from './reports.ts'
import { TrunkLane } from './trunk-lane.ts'

export interface SmsQueueOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly trunks: readonly SmsTrunk[]
  /** Texts that may wait. */
  readonly most: number
  readonly repeatUnknown: boolean
  /** Whether a number may be texted still. */
  readonly reach: Reach
  /** Whether the recipient asked not to be texted. */
  readonly suppressed: (number: string) => boolean
  /** The trunk new texts take now. */
  readonly choose: () => SmsTrunk | undefined
}

export interface SmsQuery {
  readonly limit: number
  readonly state?: SmsState
  readonly cursor?: string
}

/** A text whose answer was lost is asked after so long, and again. */
const lookUpDelaysMs = [2000, 15_000, 60_000] as const
const sweepMs = 10_000
/** For texts that are under way while the daemon stops. */
const lastWordMs = 5000

export class SmsQueue {
  readonly #options: SmsQueueOptions
  readonly #jobs = new JobList()
  /** Being written. */
  #coming = 0
  readonly #lanes: ReadonlyMap<string, TrunkLane>
  readonly #ledger: SmsLedger
  readonly #reports: SmsReports
  readonly #underWay: UnderWay
  readonly #abort = new AbortController()
  readonly figures = new SmsFigures()
  #sweeper: Timer | null = null
  #stopped = true

  constructor(options: SmsQueueOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'the queue of texts failed'))
    this.#ledger = new SmsLedger(options)
    const { store, clock, log } = options
    this.#reports = new SmsReports({ store, clock, log, ledger: this.#ledger, jobs: this.#jobs, figures: this.figures })
    this.#lanes = new Map(options.trunks.map((trunk) => [trunk.id, new TrunkLane(trunk)]))
  }

  /** `work` runs in the transaction in which the state of a text changes. `before`: undefined where the text is new. */
  onState(work: (before: SmsState | undefined, row: SmsRow) => void): void {
    this.#ledger.onState(work)
  }

  /** Takes up what the last run of the daemon left. */
  start(): void {
    this.#stopped = false
    let left = 0
    for (const { value } of this.#options.store.tables.sms.pending()) {
      left += 1
      const job = newJob(value)
      this.#jobs.add(job)
      if (value.state === 'sending') void this.#underWay.track(this.#recover(job))
    }
    shiftTimes(this.#jobs.all(), 0, this.#options.clock.now())
    if (left > 0) this.#options.log.info({ texts: left }, 'texts wait from before')
    for (const job of this.#jobs.all()) if (!job.busy && this.#jobs.isFirst(job)) this.#ready(job)
    this.#sweep()
  }

  stepped(stepMs: number): void {
    shiftTimes(this.#jobs.all(), stepMs, this.#options.clock.now())
    const rows = [...this.#jobs.all()].flatMap((job) => (job.busy ? [] : [job.row]))
    void this.#underWay.track(this.#ledger.put(rows))
  }

  /** No further text is handed to a trunk; what is not written to the network yet comes back. */
  drain(): void {
    this.#stopped = true
    this.#sweeper?.cancel()
    for (const job of this.#jobs.all()) {
      job.timer?.cancel()
      tell(job)
    }
    this.#abort.abort()
  }

  /** Resolves when what was under way is written, or after a moment. */
  async stop(): Promise<void> {
    this.drain()
    await this.#underWay.lastWord(this.#options.clock, lastWordMs)
  }

  /** Whether a text that this trunk took has that reference, of the last days. */
  knows(trunkId: string, reference: string): boolean {
    return this.#ledger.find(trunkId, { reference, to: '' }) !== undefined
  }

  get waiting(): number {
    return this.#jobs.size
  }

  states(): ReadonlyMap<SmsState, number> {
    return this.#jobs.states()
  }

  oldestAt(): number | null {
    return this.#jobs.oldestAt()
  }

  /** Throws ApiError `overloaded` when there is no room for so many more. */
  checkRoom(more: number): void {
    if (this.#jobs.size + this.#coming + more <= this.#options.most) return
    throw new ApiError('overloaded', `${this.#jobs.size} texts are waiting; try again later.`, { retryAfterSeconds: 60 })
  }

  /** Resolves when the rows are durable; `alongside` runs in their transaction. */
  async add(rows: readonly SmsRow[], alongside: () => void = () => undefined): Promise<void> {
    this.checkRoom(rows.length)
    this.#coming += rows.length
    await this.#ledger.put(rows, alongside).finally(() => (this.#coming -= rows.length))
    for (const row of rows) this.#admit(row)
  }

  /** Takes up a row that was written by another part's transaction; nothing where it is not durable. */
  admit(messageId: string): void {
    const row = this.#options.store.tables.sms.get(messageId)
    if (row !== undefined && row.state === 'queued') this.#admit(row)
  }

  /** Removes a text; one that waits is not sent any more. `alongside` runs in the transaction. Throws ApiError: message_unknown, being_sent. */
  async remove(messageId: string, alongside: () => void): Promise<void> {
    const job = this.#jobs.get(messageId)
    await removeText(this.#options.store, messageId, job, alongside)
    const next = job && this.#jobs.remove(job)
    if (next !== undefined) this.#ready(next)
  }

  find(messageId: string): SmsRow | undefined {
    return this.#jobs.get(messageId)?.row ?? this.#options.store.tables.sms.get(messageId)
  }

  /** Newest first, those before `cursor`. */
  list({ limit, state, cursor }: SmsQuery): Page<SmsRow> {
    const fits = state === undefined ? undefined : (row: SmsRow): boolean => row.state === state
    return newest(this.#options.store.tables.sms, { limit, cursor, fits, current: (messageId) => this.#jobs.get(messageId)?.row })
  }

  /** The row in a final state, or when it waits for another try, at the latest after `ms`. */
  async settled(messageId: string, ms: number): Promise<SmsRow | undefined> {
    const job = this.#jobs.get(messageId)
    if (job !== undefined && job.row.state !== 'retrying' && !this.#stopped) {
      const done = Promise.withResolvers<void>()
      const told = (): void => done.resolve()
      job.waiters.add(told)
      const timer = this.#options.clock.after(ms, told)
      await done.promise
      timer.cancel()
      job.waiters.delete(told)
    }
    // What is not on the disk yet is not shown.
    return this.#options.store.tables.sms.get(messageId)
  }

  /** Resolves when it is durable. */
  report(trunkId: string, report: SmsReport): Promise<void> {
    return this.#reports.take(trunkId, report)
  }

  /** A trunk has changed. */
  wake(trunkId: string): void {
    const lane = this.#lanes.get(trunkId)
    if (lane !== undefined) this.#pump(lane)
  }

  #admit(row: SmsRow): void {
    if (this.#jobs.get(row.messageId) !== undefined) return
    const job = newJob(row, true)
    if (this.#jobs.add(job)) this.#ready(job)
  }

  /** It is the first of its recipient: goes to its trunk when it is due. */
  #ready(job: Job): void {
    if (this.#stopped || job.busy) return
    const { clock } = this.#options
    const wait = (job.row.nextAttemptAt ?? 0) - clock.now()
    if (wait > 0) {
      job.timer = clock.after(wait, () => this.#ready(job))
      return
    }
    const lane = this.#lanes.get(job.row.trunkId) ?? this.#otherLane(job)
    if (lane === undefined) return
    // From here on the lane holds it, so that it cannot be given twice.
    job.busy = true
    lane.push(job)
    this.#pump(lane)
  }

  /** Of a text whose trunk is no longer configured. */
  #otherLane(job: Job): TrunkLane | undefined {
    const trunk = this.#options.choose()
    if (trunk === undefined) return undefined
    if (job.row.accepted.some((reference) => reference !== null)) {
      void this.#underWay.track(this.#end(job, { type: 'orphan' }))
      return undefined
    }
    job.row = { ...job.row, trunkId: trunk.id, from: trunk.number }
    return this.#lanes.get(trunk.id)
  }

  #pump(lane: TrunkLane): void {
    if (this.#stopped) return
    const now = this.#options.clock.now()
    for (let job = lane.take(now); job !== undefined; job = lane.take(now)) {
      const taken = job
      void this.#underWay.track(
        this.#attempt(taken, lane).finally(() => {
          lane.release()
          this.#pump(lane)
        }),
      )
    }
  }

  async #attempt(job: Job, { trunk }: TrunkLane): Promise<void> {
    const { clock, log, suppressed, reach } = this.#options
    const before = job.row
    // It ended while it waited for its turn.
    if (before.state !== 'queued' && before.state !== 'retrying') return
    if (clock.now() >= before.expiresAt) return this.#end(job, { type: 'expire' })
    if (suppressed(before.to)) return this.#end(job, { type: 'opted-out' })
    const { allowed, reason } = reach.mayDial(before.to, 'text')
    if (!allowed) return this.#end(job, { type: 'denied', reason })
    job.row = step(before, { type: 'send' }, this.#moment(null)).row
    job.handedAt = clock.now()
    try {
      await this.#ledger.put([job.row])
    } catch (error) {
      log.error({ err: error, messageId: before.messageId }, 'a text could not be sent: its state could not be stored')
      job.row = { ...before, state: 'retrying', nextAttemptAt: clock.now() + rewriteMs }
      return this.#follow(job, { type: 'wait' })
    }
    const interrupted: SmsOutcome = { kind: 'temporary', text: 'The telephone system was stopped.', accepted: before.accepted }
    const outcome = this.#stopped ? interrupted : await trunk.send(outbound(job.row, clock.now()), this.#abort.signal)
    this.figures.attempt(job.row, outcome)
    await this.#conclude(job, trunk, outcome)
  }

  /** Left in `sending` by the last run. */
  async #recover(job: Job): Promise<void> {
    job.busy = true
    const trunk = this.#lanes.get(job.row.trunkId)?.trunk
    const effect = await this.#apply(job, { type: 'restart' }, this.#lookUpDelay(trunk, 0))
    if (effect?.type !== 'look-up' || trunk === undefined) return this.#follow(job, effect)
    const outcome = await this.#lookUp(job, trunk, effect.inMs)
    if (outcome !== undefined) await this.#conclude(job, trunk, outcome, 1)
  }

  async #conclude(job: Job, trunk: SmsTrunk, first: SmsOutcome, lookedUp = 0): Promise<void> {
    let outcome: SmsOutcome | undefined = first
    let effect: SmsEffect | undefined
    for (let looks = lookedUp; outcome !== undefined; looks++) {
      const before: readonly (string | null)[] = job.row.accepted
      effect = await this.#apply(job, { type: 'outcome', outcome, interrupted: this.#stopped }, this.#lookUpDelay(trunk, looks), before)
      if (effect === undefined) return
      await this.#reports.again(job.row, job.handedAt)
      outcome = effect.type === 'look-up' ? await this.#lookUp(job, trunk, effect.inMs) : undefined
    }
    this.#follow(job, effect)
  }

  #lookUpDelay(trunk: SmsTrunk | undefined, looks: number): number | null {
    return trunk?.lookUp === undefined ? null : (lookUpDelaysMs[looks] ?? null)
  }

  /** Undefined when the daemon stops: the next start asks again. */
  async #lookUp(job: Job, trunk: SmsTrunk, inMs: number): Promise<SmsOutcome | undefined> {
    const { clock } = this.#options
    const { signal } = this.#abort
    await pause(clock, inMs, signal)
    return this.#stopped ? undefined : trunk.lookUp?.(outbound(job.row, clock.now()), signal)
  }

  async #end(job: Job, input: SmsInput): Promise<void> {
    this.#follow(job, await this.#apply(job, input))
  }

  /** What is to be done next, once the row is durable; undefined where it could not be stored before the stop. */
  async #apply(
    job: Job,
    input: SmsInput,
    lookUpInMs: number | null = null,
    before: readonly (string | null)[] = job.row.accepted,
  ): Promise<SmsEffect | undefined> {
    const { row, effect } = step(job.row, input, this.#moment(lookUpInMs))
    job.row = row
    if (
      !(await this.#ledger.settle(
        () => job.row,
        before,
        () => this.#stopped,
      ))
    )
      return undefined
    if (effect.type === 'over') {
      const { messageId, to, state, code, attempts, trunkId } = row
      this.figures.reached(row)
      this.#options.log.info({ messageId, to: maskNumber(to), trunkId, state, code, attempts }, 'text ended')
    }
    return effect
  }

  #follow(job: Job, effect: SmsEffect | undefined): void {
    job.busy = false
    if (effect === undefined) return
    tell(job)
    if (effect.type === 'over') {
      const next = this.#jobs.remove(job)
      if (next !== undefined) this.#ready(next)
    } else if (this.#jobs.isFirst(job)) this.#ready(job)
  }

  #moment(lookUpInMs: number | null): SmsMoment {
    return { now: this.#options.clock.now(), lookUpInMs, repeatUnknown: this.#options.repeatUnknown }
  }

  /** Ends what is past its time, and looks whether trunks that were not ready are. */
  #sweep(): void {
    const now = this.#options.clock.now()
    for (const job of this.#jobs.all()) {
      if (now < job.row.expiresAt || !isWaiting(job.row.state) || job.row.state === 'sending') continue
      job.timer?.cancel()
      void this.#underWay.track(this.#end(job, { type: 'expire' }))
    }
    for (const lane of this.#lanes.values()) this.#pump(lane)
    this.#sweeper = this.#options.clock.after(sweepMs, () => this.#sweep())
  }
}
