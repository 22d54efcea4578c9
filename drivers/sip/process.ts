/**
 * The life of the pbx-engine process: one that has outlived its daemon, one that is a service of its own, or started with a socket pair on
 * descriptor 3; greeted, watched by ping and pong, killed when its clock no longer turns, started again after it died (a service by systemd).
 * One write to the socket per turn of the event loop, however many messages the turn produced.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { followLog, type DriverLog } from './engine-log.ts'
import { findEngine } from './standby.ts'
import { standardTiming, type EngineTiming } from './driver-types.ts'
import { encodeMessage, FrameDecoder, frameKind, FrameError, parseMessage, protocolVersion, type Message } from './frames.ts'

export type { DriverLog } from './engine-log.ts'

/** The engine's own words about itself, from its `hello`. */
export interface EngineHello {
  readonly engine: string
  readonly pjsip: string
  readonly pid: number
  readonly realtime: boolean
  readonly realtimeReason: string
  /** It has outlived its daemon: `adopt` follows. */
  readonly returning: boolean
  /** Which file it was started from, see programOf; '' of one that does not say. */
  readonly program: string
  /** What it prints is not heard here. */
  readonly apart: boolean
}

export interface EngineHandlers {
  /** The engine answered the greeting: messages may be sent. */
  up(hello: EngineHello): void
  /** It is gone, or could not be started; `wasUp` says whether calls may have been lost. */
  down(reason: string, wasUp: boolean): void
  message(message: Message): void
  audio(payload: Buffer): void
  fork(payload: Buffer): void
}

export interface EngineOptions {
  readonly path: string
  readonly arguments?: readonly string[]
  /** A path: the engine outlives this program where calls are to be kept, and is found there. */
  readonly standby?: string
  /** A path: a service listens there, which somebody else starts; none is started here. */
  readonly service?: string
  readonly log: DriverLog
  readonly timing?: Partial<EngineTiming>
}

const lastWordsMs = 100

type Running = {
  /** null: an engine of an earlier run, or a service. */
  readonly child: ChildProcess | null
  readonly socket: Duplex
  readonly since: number
  pid: number
  up: boolean
  over: boolean
  /** It was asked to end, to be replaced by another one. */
  exchanged: boolean
  gone: () => void
  /** What it could not begin without. */
  library?: string
}

function begun(child: ChildProcess | null, socket: Duplex, pid: number): Running {
  return { child, socket, since: performance.now(), pid, up: false, over: false, exchanged: false, gone: () => undefined }
}

/** Variables that an engine may see: what the loader, the locale and the sanitizers need, none of the daemon's secrets. */
const passedVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'LD_LIBRARY_PATH']

export class EngineProcess {
  readonly #options: EngineOptions
  readonly #timing: EngineTiming
  readonly #handlers: EngineHandlers
  #running: Running | null = null
  #pending: Buffer[] = []
  #flushScheduled = false
  #pingTimer: NodeJS.Timeout | null = null
  #helloTimer: NodeJS.Timeout | null = null
  #restartTimer: NodeJS.Timeout | null = null
  #restartDelay: number
  #unanswered = 0
  #pingNumber = 0
  #stopping = false
  #starts = 0

  constructor(options: EngineOptions, handlers: EngineHandlers) {
    this.#options = options
    this.#timing = { ...standardTiming, ...options.timing }
    this.#handlers = handlers
    this.#restartDelay = this.#timing.restartFirst
  }

  /** Times the engine was started again. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1)
  }

  get isUp(): boolean {
    return this.#running?.up === true
  }

  start(): void {
    this.#stopping = false
    this.#launch()
  }

  /** Leaves the engine to itself: what it is to keep it keeps, and nothing more is heard of it. */
  leave(): void {
    this.#stopping = true
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer)
    const running = this.#running
    if (running === null) return
    this.#flush()
    this.#running = null
    this.#forget(running)
    running.socket.end()
  }

  /** Gives the engine its end-of-file and waits for it to end its calls; kills it when it takes too long. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer)
    this.#restartTimer = null
    const running = this.#running
    if (running === null || (running.child !== null && running.child.pid === undefined)) return
    if (running.child === null || this.#options.standby !== undefined) this.send(encodeMessage({ t: 'stop' }))
    this.#flush()
    await new Promise<void>((resolve) => {
      const kill = setTimeout(() => {
        this.#signal(running)
        // A service is another user's: what does not end there is its own watch's.
        if (running.child === null) this.#lost(running, 'it did not end in time')
      }, this.#timing.stopWithin)
      running.gone = () => {
        clearTimeout(kill)
        resolve()
      }
      running.socket.end()
    })
  }

  /** Has the engine end, and the one that is installed by now take its place. */
  exchange(): void {
    const running = this.#running
    if (running === null || running.exchanged || this.#stopping) return
    running.exchanged = true
    this.send(encodeMessage({ t: 'stop' }))
    this.#flush()
    if (this.#pingTimer !== null) clearInterval(this.#pingTimer)
    setTimeout(() => running.over || this.#kill(running, 'it did not end in time'), this.#timing.stopWithin).unref()
    running.socket.end()
  }

  /** Queues frames (one or several buffers); they leave together at the end of this turn of the loop. Dropped while down. */
  send(...frames: readonly Buffer[]): void {
    if (!this.isUp) return
    this.#pending.push(...frames)
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const running = this.#running
    const pending = this.#pending
    if (pending.length === 0) return
    this.#pending = []
    if (running === null || running.socket.destroyed) return
    if (pending.length === 1) {
      running.socket.write(pending[0])
      return
    }
    running.socket.cork()
    for (const frame of pending) running.socket.write(frame)
    running.socket.uncork()
  }

  #launch(): void {
    const { standby, service } = this.#options
    const places = [standby, service].filter((path) => path !== undefined)
    if (places.length === 0) return this.#spawn()
    void findEngine(places).then((socket) => {
      if (this.#stopping) return socket?.destroy()
      if (socket === null && service === undefined) return this.#spawn()
      if (socket === null) return this.#absent(`its service is not running (no program listens on ${service}): systemctl start pbxd-engine`)
      this.#starts += 1
      const running = begun(null, socket, 0)
      this.#running = running
      socket.on('close', () => this.#lost(running, 'it closed its socket'))
      this.#greet(running)
    })
  }

  #absent(reason: string): void {
    this.#handlers.down(reason, false)
    this.#scheduleRestart()
  }

  #spawn(): void {
    this.#starts += 1
    const { path, standby } = this.#options
    const env: NodeJS.ProcessEnv = {}
    for (const name of passedVariables) if (process.env[name] !== undefined) env[name] = process.env[name]
    let child: ChildProcess
    try {
      child = spawn(path, [...(this.#options.arguments ?? []), ...(standby === undefined ? [] : ['--standby', standby])], {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        env,
        // A session of its own: Ctrl-C at the terminal must reach the daemon, which ends the calls in order.
        detached: true,
      })
    } catch (error) {
      return this.#absent(this.#startFailure(error))
    }
    const running = begun(child, child.stdio[3] as Duplex, child.pid ?? 0)
    this.#running = running
    child.on('error', (error) => this.#lost(running, this.#startFailure(error)))
    child.on('exit', (code, signal) => {
      const reason = signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`
      // Its last words may still be in the socket: 'close' comes when they were read, at most a moment later. A loop that was held up
      // longer than that reads before it gives up: timers come first in its turn, then what is there to be read.
      const grace = setTimeout(() => setImmediate(() => this.#lost(running, reason)), lastWordsMs)
      child.once('close', () => {
        clearTimeout(grace)
        this.#lost(running, reason)
      })
    })
    if (child.pid === undefined) {
      // The 'error' event follows; the pipes of a child that never was only need a listener.
      running.socket.on('error', () => undefined)
      return
    }
    followLog(child, this.#options.log, (library) => (running.library = library))
    // The exit event reports the end; a living engine that closed its socket is useless all the same.
    running.socket.on('close', () => {
      if (this.#stopping) return
      const grace = setTimeout(() => this.#kill(running, 'it closed its socket'), lastWordsMs * 2)
      child.once('exit', () => clearTimeout(grace))
    })
    this.#greet(running)
  }

  #greet(running: Running): void {
    const decoder = new FrameDecoder((kind, payload) => this.#frame(running, kind, payload))
    running.socket.on('data', (chunk: Buffer) => {
      if (running.over) return
      try {
        decoder.push(chunk)
      } catch (error) {
        this.#kill(running, `it broke the protocol: ${error instanceof Error ? error.message : String(error)}`)
      }
    })
    running.socket.on('error', () => {
      // For an engine that did not even start, its exit says more.
      if (running.up || running.child === null) this.#kill(running, 'its socket failed')
      else setTimeout(() => this.#kill(running, 'its socket failed'), lastWordsMs * 2)
    })
    this.#helloTimer = setTimeout(
      () => this.#kill(running, `it did not answer the greeting in ${this.#timing.helloWithin} ms`),
      this.#timing.helloWithin,
    )
    running.socket.write(encodeMessage({ t: 'hello', version: protocolVersion }))
  }

  #frame(running: Running, kind: number, payload: Buffer): void {
    if (running.over) return
    if (kind === frameKind.audio) return this.#deliver(() => this.#handlers.audio(payload))
    if (kind === frameKind.fork) return this.#deliver(() => this.#handlers.fork(payload))
    if (kind !== frameKind.message) throw new FrameError(`A frame of kind ${kind} is not for the daemon`)
    const message = parseMessage(payload)
    if (message.t === 'pong') this.#unanswered = 0
    if (message.t !== 'hello') {
      if (running.up) this.#deliver(() => this.#handlers.message(message))
      return
    }
    running.pid = Number(message['pid'] ?? running.pid)
    if (message['version'] !== protocolVersion) {
      // One of an earlier run ends its calls by itself then, in order.
      if (running.child === null) running.pid = 0
      this.#kill(
        running,
        `it speaks protocol version ${String(message['version'])}, this daemon speaks ${protocolVersion}: build it again: npm run setup`,
      )
      return
    }
    if (this.#helloTimer !== null) clearTimeout(this.#helloTimer)
    running.up = true
    this.#unanswered = 0
    this.#pingTimer = setInterval(() => this.#ping(running), this.#timing.pingEvery)
    this.#handlers.up({
      engine: String(message['engine'] ?? ''),
      pjsip: String(message['pjsip'] ?? ''),
      pid: running.pid,
      realtime: message['realtime'] === true,
      realtimeReason: String(message['realtimeReason'] ?? ''),
      returning: message['returning'] === true,
      program: String(message['program'] ?? ''),
      apart: running.child === null,
    })
    // From its first moment on the engine is to notice when this program stands still.
    if (running.up && !running.over) this.#ping(running)
  }

  /** A fault of the daemon's own in handling a message is no fault of the engine's. */
  #deliver(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (error instanceof FrameError) throw error
      this.#options.log.error(
        { error: error instanceof Error ? error.stack : String(error) },
        'A message of pbx-engine could not be handled',
      )
    }
  }

  /** Unanswered pings are counted, not time: a daemon that was itself held up must not blame the engine. */
  #ping(running: Running): void {
    if (this.#unanswered >= this.#timing.pingsUnanswered) {
      this.#kill(running, `it left ${this.#unanswered} pings unanswered`)
      return
    }
    this.#unanswered += 1
    this.#pingNumber += 1
    this.send(encodeMessage({ t: 'ping', n: this.#pingNumber }))
  }

  #kill(running: Running, reason: string): void {
    this.#signal(running)
    this.#lost(running, reason)
  }

  #signal({ child, pid }: Running): void {
    if (child !== null) return void child.kill('SIGKILL')
    // It has said so itself, on a socket that nobody else may open; 0: it has said nothing.
    if (pid <= 1) return
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }

  /** Nothing more is heard of it. */
  #forget(running: Running): void {
    running.over = true
    if (this.#running === running) this.#running = null
    if (this.#pingTimer !== null) clearInterval(this.#pingTimer)
    if (this.#helloTimer !== null) clearTimeout(this.#helloTimer)
    this.#pingTimer = null
    this.#helloTimer = null
    this.#pending = []
  }

  #lost(running: Running, said: string): void {
    if (running.over) return
    const reason = running.library === undefined ? said : `the shared library ${running.library} is not installed`
    this.#forget(running)
    running.socket.destroy()
    if (running.up && performance.now() - running.since >= this.#timing.steadyAfter) this.#restartDelay = this.#timing.restartFirst
    if (running.exchanged) this.#options.log.info({ path: this.#options.path }, 'pbx-engine has ended, to be exchanged')
    else if (!this.#stopping) this.#options.log.error({ path: this.#options.path }, `pbx-engine is gone: ${reason}`)
    this.#handlers.down(reason, running.up)
    running.gone()
    this.#scheduleRestart()
  }

  #scheduleRestart(): void {
    if (this.#stopping || this.#restartTimer !== null) return
    this.#restartTimer = setTimeout(() => {
      this.#restartTimer = null
      this.#launch()
    }, this.#restartDelay)
    const most = this.#options.service === undefined ? this.#timing.restartMost : this.#timing.lookMost
    this.#restartDelay = Math.min(this.#restartDelay * 2, most)
  }

  #startFailure(error: unknown): string {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return `it is not built: no file ${this.#options.path}; run npm run setup`
    if (code === 'EACCES') return `it may not be run: ${this.#options.path} is not executable for this user`
    return `it could not be started: ${error instanceof Error ? error.message : String(error)}`
  }
}
