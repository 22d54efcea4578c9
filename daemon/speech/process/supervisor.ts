/**
 * Keeps the speech process of one role alive: starts it, starts it again after it died (later each time), replaces it when
 * the plan changes, and leaves out an engine that takes the process down while it is loaded. One that loads models for calls is
 * there before anybody speaks; any other starts when it is first needed, which takes it a moment, and ends when nobody has needed it
 * for a while.
 */
import type { Timer } from '../../base/clock.ts'
import { SpeechChild } from './child.ts'
import { LeftOut } from './left-out.ts'
import { standardTiming, type SpeechProcessState, type SupervisorOptions, type SupervisorTiming } from './options.ts'
import { speechProgram } from './program.ts'
import type { ProcessPlan, ReadyReport } from './protocol.ts'
import { SpeechSession, type LossReason, type SessionEvents } from './session.ts'

/** One process with what it serves. */
interface Run {
  readonly child: SpeechChild
  readonly sessions: Map<number, SpeechSession>
  ready: ReadyReport | null
  readySince: number
  retired: boolean
}

export class SpeechSupervisor {
  readonly #options: SupervisorOptions
  readonly #timing: SupervisorTiming
  readonly #leftOut = new LeftOut()
  readonly #waiting = new Set<SpeechSession>()
  readonly #runs = new Set<Run>()
  #plan: ProcessPlan
  #current: Run | null = null
  #starting: Run | null = null
  #restart: Timer | null = null
  #restartDelay: number
  #idle: Timer | null = null
  #restarts = 0
  #reason = ''
  #active = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#plan = options.plan
    this.#timing = { ...standardTiming[options.plan.role], ...options.timing }
    this.#restartDelay = this.#timing.restartFirst
  }

  /** What shall be loaded, without what had to be left out. */
  get plan(): ProcessPlan {
    return this.#leftOut.without(this.#plan)
  }

  /** Whether a process runs that is ready. */
  get ready(): boolean {
    return this.#current !== null
  }

  start(): void {
    this.#active = true
    if (isStanding(this.plan)) this.#launch()
  }

  /** Ends the processes; open sessions are lost. */
  async stop(): Promise<void> {
    this.#active = false
    this.#restart?.cancel()
    this.#restart = null
    this.#idle?.cancel()
    const runs = [...this.#runs]
    for (const session of this.#waiting) session.lose('stopped')
    for (const run of runs) this.#end(run, 'stopped')
    await Promise.all(runs.map(({ child }) => child.exited))
  }

  /**
   * From now on this is what is loaded. The process that runs goes on until the new one is ready, and after that until its sessions have
   * ended.
   */
  replan(plan: ProcessPlan): void {
    this.#plan = plan
    this.#leftOut.clear()
    this.#restart?.cancel()
    this.#restart = null
    this.#restartDelay = this.#timing.restartFirst
    if (this.#starting !== null) this.#end(this.#starting, 'engine-failed')
    if (!this.#active) return
    if (isStanding(plan) || this.#waiting.size > 0) this.#launch()
    else if (this.#current !== null) this.#retire(this.#current)
    this.#changed()
  }

  /** Never throws. `waitMs`: how long it waits for a process that is not ready. */
  open(waitMs: number, events: SessionEvents): SpeechSession {
    const session = new SpeechSession({ closed: (over) => this.#closed(over) }, events, this.#options.clock, waitMs)
    this.#waiting.add(session)
    if (this.#current !== null) {
      this.#join(session, this.#current)
    } else if (!this.#active || isEmpty(this.plan)) {
      setImmediate(() => session.lose(this.#active ? 'engine-missing' : 'stopped'))
    } else if (this.#restart === null && this.#starting === null) {
      this.#launch()
    }
    return session
  }

  state(): SpeechProcessState {
    const run = this.#current ?? this.#starting
    const ready = this.#current?.ready ?? null
    const { recognisers, voices } = this.plan
    return {
      role: this.#plan.role,
      status: this.#current !== null ? 'running' : this.#starting !== null ? 'starting' : this.#restart !== null ? 'down' : 'idle',
      reason: this.#reason,
      pid: run?.child.pid ?? null,
      rssKb: run?.child.rssKb ?? null,
      restarts: this.#restarts,
      sessions: this.#current?.sessions.size ?? 0,
      recognisers: ready?.recognisers ?? recognisers.map((wanted) => (typeof wanted === 'string' ? wanted : wanted.id)),
      detector: ready?.detector ?? '',
      voices: ready?.voices ?? voices.map(({ id }) => id),
      leftOut: this.#leftOut.list(),
    }
  }

  #launch(): void {
    const plan = this.plan
    if (isEmpty(plan)) {
      for (const session of this.#waiting) session.lose('engine-missing')
      if (this.#current !== null) this.#retire(this.#current)
      return
    }
    const { clock, log, program, readable = [] } = this.#options
    this.#leftOut.started()
    const run: Run = {
      child: new SpeechChild({
        program: program ?? speechProgram,
        readable,
        plan,
        limits: { ...this.#timing, memoryKb: this.#options.memoryMegabytes * 1024 },
        clock,
        log,
        handlers: {
          ready: (report) => this.#ready(run, report),
          leftOut: (id, reason) => {
            this.#leftOut.refused(id, reason)
            log.warn({ role: plan.role, engine: id }, `A speech engine was left out: ${reason}`)
          },
          report: (session, report) => run.sessions.get(session)?.report(report),
          gone: (reason, loading) => this.#gone(run, reason, loading),
        },
      }),
      sessions: new Map(),
      ready: null,
      readySince: 0,
      retired: false,
    }
    this.#runs.add(run)
    this.#starting = run
    this.#changed()
  }

  #ready(run: Run, report: ReadyReport): void {
    run.ready = report
    run.readySince = this.#options.clock.elapsed()
    if (this.#starting === run) this.#starting = null
    const former = this.#current
    this.#current = run
    this.#reason = ''
    const { recognisers, detector, voices } = report
    this.#options.log.info({ role: this.#plan.role, pid: run.child.pid, recognisers, detector, voices }, 'a speech process is ready')
    for (const session of this.#waiting) this.#join(session, run)
    if (former !== null) this.#retire(former)
    this.#rest(run)
    this.#changed()
  }

  #join(session: SpeechSession, run: Run): void {
    this.#waiting.delete(session)
    this.#idle?.cancel()
    this.#idle = null
    run.sessions.set(session.id, session)
    session.join(run.child)
  }

  #closed(session: SpeechSession): void {
    this.#waiting.delete(session)
    for (const run of this.#runs) if (run.sessions.delete(session.id)) this.#rest(run)
  }

  /** What becomes of a process without sessions. */
  #rest(run: Run): void {
    if (run.sessions.size > 0) return
    if (run.retired) this.#end(run, 'stopped')
    else if (!isStanding(this.plan) && run === this.#current && this.#active) {
      this.#idle?.cancel()
      this.#idle = this.#options.clock.after(this.#timing.idleAfter, () => this.#end(run, 'stopped'))
    }
  }

  #retire(run: Run): void {
    run.retired = true
    if (this.#current === run) this.#current = null
    this.#rest(run)
  }

  /** Ends a process on purpose. */
  #end(run: Run, reason: LossReason): void {
    this.#forget(run)
    run.child.kill('it is not needed any more')
    for (const session of run.sessions.values()) session.lose(reason)
    this.#changed()
  }

  #forget(run: Run): boolean {
    if (this.#current === run) this.#current = null
    if (this.#starting === run) this.#starting = null
    return this.#runs.delete(run)
  }

  #gone(run: Run, reason: string, loading: string): void {
    const { clock, log } = this.#options
    const wasCurrent = this.#current === run
    const wasStarting = this.#starting === run
    if (!this.#forget(run)) return
    if (loading !== '') this.#leftOut.crashed(loading, reason)
    const what = loading === '' ? reason : `${reason} while it loaded ${loading}`
    log.error({ role: this.#plan.role, pid: run.child.pid, sessions: run.sessions.size }, `A speech process is gone: ${what}`)
    if (run.ready !== null && clock.elapsed() - run.readySince >= this.#timing.steadyAfter) this.#restartDelay = this.#timing.restartFirst
    if (wasCurrent || wasStarting) this.#reason = what
    for (const session of run.sessions.values()) session.lose('engine-failed')
    if (wasStarting || (wasCurrent && this.#starting === null)) this.#restartLater()
    this.#changed()
  }

  #restartLater(): void {
    if (!this.#active || this.#restart !== null || isEmpty(this.plan)) {
      if (isEmpty(this.plan)) for (const session of this.#waiting) session.lose('engine-missing')
      return
    }
    this.#restart = this.#options.clock.after(this.#restartDelay, () => {
      this.#restart = null
      if (!isStanding(this.plan) && this.#waiting.size === 0) {
        this.#changed()
        return
      }
      this.#restarts += 1
      this.#launch()
    })
    this.#restartDelay = Math.min(this.#restartDelay * 2, this.#timing.restartMost)
  }

  #changed(): void {
    this.#options.changed?.()
  }
}

/** Whether the process is there all the time: what models take to load, no caller waits for. */
function isStanding({ role, recognisers, voices }: ProcessPlan): boolean {
  return role === 'call' && (voices.length > 0 || recognisers.some((one) => one !== 'embedded-grammar'))
}

/** A process that could do nothing is not started. */
function isEmpty(plan: ProcessPlan): boolean {
  return plan.recognisers.length === 0 && plan.voices.length === 0
}
