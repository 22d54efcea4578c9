/**
 * Parts as one: their health, warnings and figures are looked at together, they start in order, drain, and stop in reverse. A part that
 * cannot start because the disk does not let it is started again later, and keeps no other from starting: telephones do not need it.
 */
import { type Clock, type Timer, repeated, type Repeated } from './base/clock.ts'
import type { Health, PartState } from './base/health.ts'
import type { Log } from './base/log.ts'
import type { Metrics, Sample } from './base/metrics.ts'
import { isDiskFault } from './base/errors.ts'
import type { Registry } from './base/registry.ts'
import type { Part, Queue } from './part.ts'

/** Removes what is past its time, of every part, one after the other: soon after the start and then every hour. */
const times = { firstMs: 10_000, everyMs: 3_600_000 }

function createSweeper({ parts, clock, log }: { parts: () => readonly Part[]; clock: Clock; log: Log }): Repeated {
  let stopping = false
  const turn = async (): Promise<void> => {
    const removed: Record<string, number> = {}
    for (const { what, sweep } of parts().flatMap(({ sweeps = [] }) => sweeps)) {
      if (stopping) break
      try {
        const count = await sweep()
        if (count > 0) removed[what] = count
      } catch (error) {
        log.error({ err: error, what }, 'what is past its time could not be removed')
      }
    }
    if (Object.keys(removed).length > 0) log.info({ removed }, 'removed what was past its time')
  }
  const { start, stop } = repeated(clock, times, turn)
  return {
    start,
    stop() {
      stopping = true
      return stop()
    },
  }
}

export interface Assembly {
  /** In the order of their start; none before that. */
  readonly parts: readonly Part[]
  /** What waits to go out, in the order of the parts. */
  queues(): readonly Queue[]
  /** Brings the warnings up to date, for somebody who looks now. */
  refresh(): void
  /** Notifies every part that the configuration has been changed in place. */
  reconfigured(): void
  /** Has every part hold what would make a call, or begin it. */
  hold(on: boolean): void
  /** Notifies every part that the clock was set by so much (ms). */
  stepped(stepMs: number): void
  /**
   * Starts these, in this order. Where one cannot be started, and not for the disk, those before it are stopped again. Throws before any is
   * started where somebody is missing in a registry.
   */
  start(parts: readonly Part[]): Promise<void>
  stop(drainMs: number): Promise<void>
}

export interface AssemblyOptions {
  /** Where parts have entered themselves. */
  readonly registries?: readonly Pick<Registry<object>, 'seal'>[]
  readonly health: Health
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
  /** One of them could not be started; all that were begun still are. */
  readonly failed?: (error: unknown) => Promise<void>
}

const firstLookMs = 1000
const lookMs = 5000
const startAgainMs = 3000

/** Made before the parts: what they ask of all of them they ask once these run. */
export function createAssembly({ registries = [], health, metrics, clock, log, failed }: AssemblyOptions): Assembly {
  let parts: readonly Part[] = []
  let looks: readonly (() => void)[] = []
  const queues = (): Queue[] => parts.flatMap((part) => part.queues?.() ?? [])
  const sweeper = createSweeper({ parts: () => parts, clock, log })
  const refresh = (): void => {
    looks.forEach((look) => look())
    for (const part of parts) part.looked?.()
  }
  const late = new LateStarts({ health, clock, log })
  let timer: Timer | null = null
  const look = (): void => {
    refresh()
    timer = clock.after(lookMs, look)
  }
  const take = (all: readonly Part[]): void => {
    parts = all
    for (const { health: states = {}, figures = [] } of parts) {
      for (const [name, state] of Object.entries(states)) health.part(name, state)
      for (const figure of figures) metrics.add(figure)
    }
    for (const figure of queueFigures(queues, clock)) metrics.add(figure)
    looks = parts.map((part) => looker(part, health))
  }
  return {
    get parts() {
      return parts
    },
    queues,
    refresh,
    reconfigured: () => parts.forEach((part) => part.reconfigured?.()),
    hold: (on) => parts.forEach((part) => part.hold?.(on)),
    stepped: (stepMs) => parts.forEach((part) => part.stepped?.(stepMs)),
    async start(all) {
      for (const registry of registries) registry.seal()
      take(all)
      for (const [at, part] of parts.entries()) {
        try {
          await part.start?.()
        } catch (error) {
          if (isDiskFault(error)) {
            late.add(part, error)
            continue
          }
          await late.stop()
          await failed?.(error)
          for (const begun of parts.slice(0, at + 1).toReversed()) await Promise.resolve(begun.stop?.(0)).catch(() => undefined)
          throw error
        }
      }
      sweeper.start()
      timer = clock.after(firstLookMs, look)
    },
    async stop(drainMs) {
      for (const part of parts) part.drain?.()
      await late.stop()
      await sweeper.stop()
      timer?.cancel()
      for (const part of parts.toReversed()) await part.stop?.(drainMs)
    },
  }
}

/** Parts that the disk kept from starting: each is tried until it has started. */
class LateStarts {
  readonly #options: Pick<AssemblyOptions, 'health' | 'clock' | 'log'>
  readonly #waiting = new Map<Part, string>()
  #timer: Timer | null = null
  #turn: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: Pick<AssemblyOptions, 'health' | 'clock' | 'log'>) {
    this.#options = options
  }

  add(part: Part, error: unknown): void {
    const { health, log } = this.#options
    const reason = (error as Error).message
    if (!this.#waiting.has(part)) {
      log.error({ err: error, part: part.name }, 'a part could not start because of the disk; it is tried again')
      health.part(`start of ${part.name}`, () => this.#state(part))
    }
    this.#waiting.set(part, reason)
    const fix = 'free space on the disks of storage.dir and control.socket, and check the owners of their folders: df -h; ls -ld'
    health.warn(`start-${part.name}`, { severity: 'error', text: `The part ${part.name} did not start: ${reason}`, fix })
    if (!this.#stopped) this.#timer ??= this.#options.clock.after(startAgainMs, () => void (this.#turn = this.#again()))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#turn
  }

  #state(part: Part): PartState {
    const reason = this.#waiting.get(part)
    return reason === undefined ? { ok: true, reason: '' } : { ok: false, reason: 'the disk prevents its start', detail: reason }
  }

  async #again(): Promise<void> {
    this.#timer = null
    const { health, log } = this.#options
    for (const part of [...this.#waiting.keys()]) {
      if (this.#stopped) return
      try {
        await part.start?.()
        this.#waiting.delete(part)
        health.clear(`start-${part.name}`)
        log.info({ part: part.name }, 'the part has started')
      } catch (error) {
        this.add(part, error)
      }
    }
  }
}

/** Brings the warnings of one part up to date whenever it is called. */
function looker(part: Part, health: Health): () => void {
  let before: readonly string[] = []
  return () => {
    const now = [...(part.warnings?.() ?? [])]
    for (const { code, ...warning } of now) health.warn(code, warning)
    const codes = now.map(({ code }) => code)
    for (const code of before) if (!codes.includes(code)) health.clear(code)
    before = codes
  }
}

function queueFigures(queues: () => readonly Queue[], clock: Clock) {
  const age = (since: number | null): number => (since === null ? 0 : Math.max(0, (clock.now() - since) / 1000))
  const each = (value: (queue: Queue) => number) => (): Sample[] => queues().map((queue) => [{ queue: queue.name }, value(queue)])
  return [
    { name: 'pbx_queue_waiting', help: 'Items waiting to be sent.', type: 'gauge', read: each(({ waiting }) => waiting) },
    {
      name: 'pbx_queue_oldest_seconds',
      help: 'Age of the oldest waiting item.',
      type: 'gauge',
      read: each(({ oldestAt }) => age(oldestAt)),
    },
  ] as const
}
