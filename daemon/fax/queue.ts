/**
 * The queue of outgoing faxes. A fax is accepted when its document and its row are on the disk; from then on it is drawn,
 * dialled as lines and other faxes to the same number allow, and tried again until it is through, given up or canceled,
 * also across restarts. Its end is written together with its callback.
 */
import type { FaxProgress } from '../../drivers/fax.ts'
import { Alarm, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { rewriteMs, UnderWay } from '../jobs/keep.ts'
import { maskNumber, type Log } from '../base/log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Store } from '../store/store.ts'
import type { FaxRow } from '../store/tables.ts'
import type { FaxDocuments } from './documents.ts'
import { FaxLedger } from './ledger.ts'
import { isTerminal, isRendered, step, type FaxInput, type FaxMoment } from './job.ts'
import { FaxFigures } from './metrics.ts'
import { LineHealth, type FaxLine, type FaxLines, type LineCondition } from './line.ts'
import { liveFax, tellWhileSent, Watchers } from './live.ts'
import type { RenderedFax } from './pages/pages.ts'
import { judge } from './outcome.ts'
import { sendRequest, type FaxSettings } from './submit.ts'
import { cancelOf, drawingFailed, isDue, mayDisturb, newJob, shiftTimes, untilNext, type Job } from './waiting.ts'
import { countStates, newestFaxes, oneFax, type FaxNow, type FaxQuery } from './look.ts'

export interface FaxQueueOptions {
  readonly settings: FaxSettings
  /** Faxes that may wait, and calls at once. */
  readonly most: { readonly waiting: number; readonly calls: number }
  readonly store: Store
  readonly outbox: Outbox
  readonly clock: Clock
  readonly log: Log
  readonly documents: FaxDocuments
  readonly lines: FaxLines
  /** Whether a call may be placed for this fax; `never` with the reason. */
  readonly mayCall?: (row: FaxRow) => 'now' | 'later' | { readonly never: string }
  /** Draws the pages of a fax; rejects with PageError. */
  readonly render: (row: FaxRow, signal: AbortSignal) => Promise<RenderedFax>
  /** Something a person should look at. */
  readonly alert: (code: string, text: string) => void
  /** Clears an alert. */
  readonly clear?: (code: string) => void
  /** 0 to 1. */
  readonly random?: () => number
}

export class FaxQueue {
  readonly #options: FaxQueueOptions
  readonly #jobs = new Map<string, Job>()
  /** Being written. */
  #coming = 0
  readonly #watchers = new Watchers()
  readonly #health: LineHealth
  readonly #ledger: FaxLedger
  readonly figures = new FaxFigures()
  readonly #underWay: UnderWay
  readonly #alarm: Alarm
  #stopped = true
  #held = false

  constructor(options: FaxQueueOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'the fax queue failed'))
    this.#alarm = new Alarm(options.clock, () => this.#turn())
    this.#ledger = new FaxLedger(options)
    this.#health = new LineHealth(options)
  }

  /** `work` runs in the transaction that writes the final state of a fax. */
  onEnd(work: (row: FaxRow) => void): void {
    this.#ledger.onEnd(work)
  }

  /** Takes up what the last run of the daemon left. */
  start(): void {
    this.#stopped = false
    const { store, documents, log } = this.#options
    const left = Array.from(store.tables.faxes.pending(), ({ value }) => value)
    for (const row of left) {
      const job = newJob(row)
      this.#jobs.set(row.faxId, job)
      if (isRendered(row) && !documents.drawn(row.faxId)) job.row = { ...row, bytesPerPage: [], standardBytesPerPage: [] }
      this.#apply(job, { type: 'restart' })
    }
    shiftTimes(this.#jobs.values(), 0, this.#options.clock.now(), () => undefined)
    if (left.length > 0) log.info({ faxes: left.length }, 'faxes wait from before')
    this.#later(0)
  }

  stepped(stepMs: number): void {
    shiftTimes(this.#jobs.values(), stepMs, this.#options.clock.now(), (row) => this.#ledger.write(row))
    this.#later(0)
  }

  /** While on, no call is placed; what is accepted is drawn, and waits. */
  hold(on: boolean): void {
    this.#held = on
    this.#later(0)
  }

  /** No further call is placed and no page is drawn; calls in progress go on. */
  drain(): void {
    this.#stopped = true
    this.#alarm.stop()
    for (const job of this.#jobs.values()) job.rendering?.abort()
  }

  /** After the calls have been ended: resolves when their ends are written. */
  async stop(): Promise<void> {
    this.drain()
    await this.#underWay.lastWord(this.#options.clock)
  }

  get waiting(): number {
    return this.#jobs.size
  }

  /** Faxes that have not ended, by state. */
  states(): ReadonlyMap<FaxRow['state'], number> {
    return countStates(this.#jobs.values())
  }

  /** The lines that may send, with what their last faxes showed. */
  lines(): readonly LineCondition[] {
    return this.#health.judge(this.#options.lines.conditions(), this.#options.clock.elapsed())
  }

  oldestAt(): number | null {
    const due = [...this.#jobs.values()].map(({ row }) => Math.max(row.createdAt, row.sendAt ?? 0))
    const waited = due.filter((at) => at <= this.#options.clock.now())
    return waited.length === 0 ? null : Math.min(...waited)
  }

  /** Throws ApiError `overloaded` when too many wait already. */
  checkRoom(): void {
    if (this.#jobs.size + this.#coming < this.#options.most.waiting) return
    throw new ApiError('overloaded', `${this.#jobs.size} faxes are waiting; try again later.`, { retryAfterSeconds: 60 })
  }

  /** Resolves when the row is durable; `alongside` runs in its transaction. */
  async add(row: FaxRow, alongside: () => void = () => undefined): Promise<void> {
    this.checkRoom()
    this.#coming += 1
    await this.#ledger.put(row, alongside).finally(() => (this.#coming -= 1))
    this.#jobs.set(row.faxId, newJob(row, true))
    this.#later(0)
  }

  find(faxId: string): FaxNow | undefined {
    return oneFax(this.#options.store, this.#jobs, faxId, this.#options.clock.elapsed())
  }

  /** Newest first, those before `cursor`. */
  list(query: FaxQuery): FaxNow[] {
    return newestFaxes(this.#options.store, this.#jobs, query, this.#options.clock.elapsed())
  }

  /** False when it is in a final state already. Resolves when the end is durable. Throws ApiError `fax_unknown`. */
  async cancel(faxId: string, alongside?: () => void): Promise<boolean> {
    const job = this.#jobs.get(faxId)
    if (job === undefined) {
      if (this.#options.store.tables.faxes.get(faxId) === undefined) throw new ApiError('fax_unknown', 'There is no fax with that id.')
      return false
    }
    if (isTerminal(job.row.state)) return false
    const { call: placed, rendering } = job
    const written = this.#apply(job, cancelOf(placed), false, alongside)
    rendering?.abort()
    placed?.call.stop()
    await written
    return true
  }

  /** Whether it, or its last call, has not ended. */
  holds(faxId: string): boolean {
    return this.#jobs.has(faxId)
  }

  /** Makes a fax that waits for its next try, or for its hour, due now; false when it does not wait. */
  hurry(faxId: string): boolean {
    const job = this.#jobs.get(faxId)
    const now = this.#options.clock.now()
    if (job === undefined || isTerminal(job.row.state)) return false
    const { sendAt = 0, ...row } = job.row
    if (row.state !== 'retrying' && sendAt <= now) return false
    job.row = row.state === 'retrying' ? { ...row, nextAttemptAt: now } : row
    this.#ledger.write(job.row)
    this.#later(0)
    return true
  }

  /** Calls `changed` at every change of any fax. */
  watchAll(changed: (faxId: string) => void): void {
    this.#watchers.addToAll(changed)
  }

  /** Calls `changed` at every change until the returned function is called. */
  watch(faxId: string, changed: () => void): () => void {
    return this.#watchers.add(faxId, changed)
  }

  #later(ms: number): void {
    if (!this.#stopped) this.#alarm.within(ms)
  }

  #turn(): void {
    if (this.#stopped) return
    const now = this.#options.clock.now()
    const jobs = [...this.#jobs.values()].toSorted((a, b) => b.row.priority - a.row.priority || (a.row.faxId < b.row.faxId ? -1 : 1))
    for (const job of jobs) {
      if (now < job.row.expiresAt || job.busy || isTerminal(job.row.state)) continue
      job.rendering?.abort()
      void this.#apply(job, { type: 'expire' })
    }
    this.#renderNext(jobs, now)
    const noLine = this.#held || this.#dialDue(jobs, now)
    const nextMs = untilNext(jobs, now, noLine)
    if (nextMs !== Infinity) this.#later(nextMs)
  }

  /** One at a time: drawing takes a whole core. */
  #renderNext(jobs: readonly Job[], now: number): void {
    if (jobs.some((job) => job.rendering !== null)) return
    const job = jobs.find(({ row }) => !isTerminal(row.state) && !isRendered(row) && (row.nextAttemptAt ?? 0) <= now)
    if (job === undefined) return
    const rendering = (job.rendering = new AbortController())
    void this.#apply(job, { type: 'render' })
    this.#underWay.track(
      this.#options
        .render(job.row, rendering.signal)
        .then((rendered) => void this.#apply(job, { type: 'rendered', ...rendered }))
        .catch((error: unknown) => {
          if (this.#stopped || rendering.signal.aborted) return
          const input = drawingFailed(error)
          if (input.type === 'postpone' || input.reason === 'internal') {
            this.#options.log.error({ err: error, faxId: job.row.faxId }, 'the pages of a fax could not be drawn')
          }
          void this.#apply(job, input)
        })
        .finally(() => {
          job.rendering = null
          this.#forget(job)
          this.#later(0)
        }),
    )
  }

  /** True when a fax is due that no line is free for, or that must wait. */
  #dialDue(jobs: readonly Job[], now: number): boolean {
    const active = jobs.filter((job) => job.busy)
    const numbers = new Set(active.map(({ row }) => row.to))
    let calls = active.length
    let later = false
    for (const job of jobs) {
      const { row } = job
      if (!isDue(job, now) || numbers.has(row.to) || (mayDisturb(job, jobs) && !this.#ledger.knows(row.to, now).known)) continue
      const may = this.#options.mayCall?.(row) ?? 'now'
      if (may === 'later') later = true
      else if (may !== 'now') void this.#apply(job, { type: 'denied', message: may.never })
      if (may !== 'now') continue
      if (calls >= this.#options.most.calls) return false
      const line = this.#options.lines.reserve(row.to, this.#health.out(this.#options.clock.elapsed()))
      if (line === null) return true
      numbers.add(row.to)
      calls += 1
      job.busy = true
      this.#underWay.track(
        this.#send(job, line).finally(() => {
          job.busy = false
          this.#forget(job)
          this.#later(0)
        }),
      )
    }
    return later
  }

  async #send(job: Job, line: FaxLine): Promise<void> {
    const { clock, log, documents, settings } = this.#options
    const before = job.row
    job.row = step({ ...before, from: line.from }, { type: 'dial' }, this.#moment(before))
    const firstPage = before.pagesSent
    try {
      // A call that the disk does not know of would be made again after a crash, as if it had never been.
      await this.#ledger.put(job.row)
    } catch (error) {
      log.error({ err: error, faxId: before.faxId }, 'a fax could not be dialled: its state could not be stored')
      line.release()
      if (!isTerminal(job.row.state)) job.row = { ...before, state: 'retrying', nextAttemptAt: clock.now() + rewriteMs }
      return
    }
    if (isTerminal(job.row.state) || this.#stopped) {
      line.release()
      if (isTerminal(job.row.state)) return
      job.row = before
      return this.#ledger.write(job.row)
    }
    this.#watchers.tell(job.row.faxId)
    const startedAt = clock.now()
    const { faxId, to, token = '' } = before
    const request = { faxId, to, token, send: sendRequest(before, documents.of(before.faxId), settings) }
    const call = line.place(request, (progress) => this.#progress(job, progress, firstPage))
    job.call = { call, line: line.id, startedAt, firstPage }
    const outcome = await call.ended
    job.call = null
    job.live = null
    const verdict = judge(outcome)
    this.figures.attempt(outcome)
    if (verdict.class === 'line') this.#health.failed(line.id, clock.elapsed())
    else this.#health.worked(line.id)
    if (verdict.alert) this.#options.alert('fax_engine', `A fax failed because of a fault of the box: ${verdict.message}`)
    if (isTerminal(job.row.state)) return
    log.info({ faxId: before.faxId, callId: call.callId, to: maskNumber(before.to), outcome: outcome.kind }, 'fax call ended')
    const heard = (outcome.kind === 'session' && outcome.heardFax) || job.row.state === 'sending'
    await this.#apply(job, { type: 'ended', outcome, firstPage, callId: call.callId, line: line.id, startedAt }, heard)
  }

  #progress(job: Job, progress: FaxProgress, firstPage: number): void {
    if (isTerminal(job.row.state)) return
    job.live = liveFax(job.live, progress, this.#options.clock.elapsed())
    const { state, pagesSent } = job.row
    job.row = step(job.row, { type: 'progress', progress, firstPage }, this.#moment(job.row))
    // What the far end has confirmed must not be sent again after a crash.
    if (job.row.state !== state || job.row.pagesSent !== pagesSent) this.#ledger.write(job.row)
    this.#watchers.tell(job.row.faxId)
    tellWhileSent(job, this.#options.clock, () => this.#watchers.tell(job.row.faxId))
  }

  /** Resolves when a terminal state is durable, at once otherwise. */
  #apply(job: Job, input: FaxInput, heardFax = false, alongside?: () => void): Promise<void> {
    const next = step(job.row, input, this.#moment(job.row))
    if (next === job.row && input.type !== 'restart') return Promise.resolve()
    job.row = next
    this.#watchers.tell(job.row.faxId)
    if (isTerminal(next.state)) return this.#underWay.track(this.#settle(job, heardFax, alongside))
    this.#ledger.write(job.row, heardFax)
    this.#later(0)
    return Promise.resolve()
  }

  #moment(row: FaxRow): FaxMoment {
    const { clock, random = Math.random } = this.#options
    return { now: clock.now(), jitter: random() * 2 - 1, ...this.#ledger.knows(row.to, clock.now()) }
  }

  async #settle(job: Job, heardFax: boolean, alongside?: () => void): Promise<void> {
    if (!(await this.#ledger.settle(job.row, heardFax, () => this.#stopped, alongside))) return
    job.settled = true
    this.figures.over(job.row)
    this.#forget(job)
    this.#watchers.tell(job.row.faxId)
    this.#later(0)
  }

  /** A canceled fax holds its number until its call has been hung up. */
  #forget(job: Job): void {
    if (!job.settled || job.busy || job.rendering !== null || !this.#jobs.delete(job.row.faxId)) return
    void this.#underWay.track(this.#options.documents.dropPages(job.row.faxId, job.row.resolution))
  }
}
