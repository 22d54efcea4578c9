/** The daemon from one start to the next within one process: some changes of the configuration need another one. */
import { startDaemon, type Daemon, type DaemonOptions } from './daemon.ts'
import type { Config } from './schema/config.ts'

/** A restart that takes longer has failed: the watchdog gets no sign of life. */
const longestRestartMs = 60_000

export class Runs {
  readonly #options: Omit<DaemonOptions, 'config' | 'refused'>
  readonly #drainMs: number
  #daemon: Daemon | null = null
  #restart: Promise<void> = Promise.resolve()
  #restartingSince: number | null = null

  /** `drainMs`: as of `Daemon.stop`. */
  constructor(options: Omit<DaemonOptions, 'config' | 'refused'>, drainMs: number) {
    this.#options = options
    this.#drainMs = drainMs
  }

  async start(config: Config, refused?: DaemonOptions['refused']): Promise<Daemon> {
    const again = (): void =>
      void this.restart(config, true).catch((error: unknown) => this.#options.log.fatal({ err: error }, 'no new start'))
    this.#daemon = await startDaemon({ ...this.#options, config, again, ...(refused === undefined ? {} : { refused }) })
    return this.#daemon
  }

  /** Another daemon with this configuration. `leave`: people who talk go on meanwhile. Where it cannot be started there is none. */
  restart(config: Config, leave: boolean): Promise<void> {
    this.#restart = this.#again(config, leave)
    return this.#restart
  }

  async #again(config: Config, leave: boolean): Promise<void> {
    const { log } = this.#options
    this.#restartingSince = performance.now()
    log.info({ leave }, 'starting again with another configuration')
    const before = this.#daemon
    this.#daemon = null
    await before?.stop(this.#drainMs, leave)
    log.level = config.log.level
    await this.start(config)
    this.#restartingSince = null
  }

  /** Whether there are calls. */
  busy(): boolean {
    return this.#daemon?.busy() ?? true
  }

  /** Required parts that are not well. */
  missing(): readonly string[] {
    return this.#daemon?.missing() ?? ['daemon: it is starting again']
  }

  /** The watchdog's question. */
  alive(): boolean {
    if (this.#restartingSince !== null) return performance.now() - this.#restartingSince < longestRestartMs
    return this.#daemon?.alive() ?? false
  }

  /** `leave`: people who talk go on, for the next run. In a pair nothing else waits: until the daemon has gone, the other machine cannot serve. */
  async stop(leave: boolean): Promise<void> {
    await this.#restart.catch(() => undefined)
    await this.#daemon?.stop(leave || this.#options.pairFile === undefined ? this.#drainMs : 0, leave)
  }
}
