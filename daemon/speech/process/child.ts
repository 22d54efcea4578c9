/** One run of a speech process, from its start to its end: orders in, reports out, one message per turn of the event loop. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { speechCommand, speechEnvironment } from './program.ts'
import type { Order, ProcessPlan, ReadyReport, Report, SessionReport } from './protocol.ts'
import { ProcessWatch, type WatchLimits } from './watch.ts'

/** A process that has not taken so much audio does not work any more. */
const mostUntaken = 32 * 1024 * 1024
const longestLine = 500

export interface ChildHandlers {
  ready(report: ReadyReport): void
  leftOut(id: string, reason: string): void
  report(session: number, report: SessionReport): void
  /** `loading`: the engine that it was loading then, '' when none. Called once. */
  gone(reason: string, loading: string): void
}

export interface ChildOptions {
  readonly program: string
  /** Folders of recordings that it may be asked to read. */
  readonly readable: readonly string[]
  readonly plan: ProcessPlan
  readonly limits: WatchLimits
  readonly clock: Clock
  readonly log: Log
  readonly handlers: ChildHandlers
}

export class SpeechChild {
  readonly #options: ChildOptions
  readonly #child: ChildProcess
  readonly #watch: ProcessWatch | null
  readonly exited: Promise<void>
  #pending: Order[] = []
  #flushing = false
  #untaken = 0
  #loading = ''
  #over = false
  #reason = ''

  constructor(options: ChildOptions) {
    this.#options = options
    const { plan, log, clock, limits } = options
    const [command, ...args] = speechCommand(plan, options.program, [], options.readable)
    this.#child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: speechEnvironment(),
      // A session of its own: Ctrl-C at the terminal must reach the daemon, which ends the calls in order.
      detached: true,
    })
    this.exited = new Promise((resolve) => {
      this.#child.on('error', (error) => {
        // Sending an order to a process that just ended fails too; 'exit' reports its end.
        if (this.#child.pid === undefined) {
          this.#gone(`it could not be started: ${error.message}`)
          resolve()
        }
      })
      this.#child.on('exit', (code, signal) => {
        this.#gone(signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`)
        resolve()
      })
    })
    this.#child.on('message', (message) => this.#report(message as Report))
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream !== null) followLog(stream, log, plan.role)
    const { pid } = this.#child
    this.#watch =
      pid === undefined
        ? null
        : new ProcessWatch({ pid, clock, limits, ping: (n) => this.send({ t: 'ping', n }), fault: (reason) => this.kill(reason) })
    this.send({ t: 'load', plan })
  }

  get pid(): number | null {
    return this.#child.pid ?? null
  }

  get rssKb(): number | null {
    return this.#watch?.rssKb ?? null
  }

  /** Leaves at the end of this turn of the event loop together with what else is sent in it. */
  send(order: Order): void {
    if (this.#over) return
    this.#pending.push(order)
    if (this.#flushing) return
    this.#flushing = true
    setImmediate(() => this.#flush())
  }

  /** There is nothing in it that would have to be saved. */
  kill(reason: string): void {
    if (this.#over) return
    this.#reason = reason
    this.#child.kill('SIGKILL')
    this.#gone(reason)
  }

  #flush(): void {
    this.#flushing = false
    const orders = this.#pending
    this.#pending = []
    if (this.#over || orders.length === 0 || !this.#child.connected) return
    const bytes = orders.reduce((sum, order) => sum + (order.t === 'audio' ? order.samples.byteLength : 0), 0)
    this.#untaken += bytes
    if (this.#untaken > mostUntaken) {
      this.kill('it does not take its audio')
      return
    }
    this.#child.send(orders, () => {
      this.#untaken -= bytes
    })
  }

  #report(report: Report): void {
    if (this.#over) return
    const { handlers } = this.#options
    switch (report.t) {
      case 'loading':
        this.#loading = report.id
        this.#watch?.loading(report.id)
        return
      case 'left-out':
        handlers.leftOut(report.id, report.reason)
        return
      case 'ready':
        this.#loading = ''
        this.#watch?.ready()
        handlers.ready(report)
        return
      case 'pong':
        this.#watch?.pong()
        return
      case 'work':
        this.#watch?.work(report.work, report.audioMs)
        return
      case 'worked':
        this.#watch?.worked(report.work)
        return
      default:
        handlers.report(report.session, report)
    }
  }

  #gone(reason: string): void {
    if (this.#over) return
    this.#over = true
    this.#watch?.stop()
    this.#pending = []
    this.#options.handlers.gone(this.#reason === '' ? reason : this.#reason, this.#loading)
  }
}

/** Native libraries talk; nothing they say is for people, and none of it may hold a caller's words above the level debug. */
function followLog(stream: Readable, log: Log, role: string): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
    log.debug({ source: `speech-${role}` }, line.slice(0, longestLine))
  })
}
