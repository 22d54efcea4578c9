/** Parts as one: their health, warnings and figures are looked at together, they start in order, drain, and stop in reverse. */
import type { Clock, Timer } from './clock.ts'
import type { Health } from './health.ts'
import type { Log } from './log.ts'
import type { Metrics, Sample } from './metrics.ts'
import type { Part, Queue } from './part.ts'
import { createSweeper } from './sweeper.ts'

export interface Assembly {
  readonly parts: readonly Part[]
  /** What waits to go out, in the order of the parts. */
  queues(): readonly Queue[]
  /** Brings the warnings up to date, for somebody who looks now. */
  refresh(): void
  /** Tells every part that the configuration has been changed in place. */
  reconfigured(): void
  /** Where one cannot be started, those before it are stopped again. */
  start(): Promise<void>
  stop(drainMs: number): Promise<void>
}

export interface AssemblyOptions {
  readonly parts: readonly Part[]
  readonly health: Health
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

const firstLookMs = 1000
const lookMs = 5000

export function assemble({ parts, health, metrics, clock, log }: AssemblyOptions): Assembly {
  for (const { health: states = {}, figures = [] } of parts) {
    for (const [name, state] of Object.entries(states)) health.part(name, state)
    for (const figure of figures) metrics.add(figure)
  }
  const queues = (): Queue[] => parts.flatMap((part) => part.queues?.() ?? [])
  for (const figure of queueFigures(queues, clock)) metrics.add(figure)
  const sweeper = createSweeper({ parts, clock, log })
  const looks = parts.map((part) => looker(part, health))
  const refresh = (): void => {
    looks.forEach((look) => look())
    for (const part of parts) part.looked?.()
  }
  let timer: Timer | null = null
  const look = (): void => {
    refresh()
    timer = clock.after(lookMs, look)
  }
  return {
    parts,
    queues,
    refresh,
    reconfigured: () => parts.forEach((part) => part.reconfigured?.()),
    async start() {
      for (const [at, part] of parts.entries()) {
        try {
          await part.start?.()
        } catch (error) {
          for (const begun of parts.slice(0, at + 1).toReversed()) await Promise.resolve(begun.stop?.(0)).catch(() => undefined)
          throw error
        }
      }
      sweeper.start()
      timer = clock.after(firstLookMs, look)
    },
    async stop(drainMs) {
      for (const part of parts) part.drain?.()
      await sweeper.stop()
      timer?.cancel()
      for (const part of parts.toReversed()) await part.stop?.(drainMs)
    },
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
    { name: 'pbx_queue_waiting', help: 'What waits to go out.', type: 'gauge', read: each(({ waiting }) => waiting) },
    { name: 'pbx_queue_oldest_seconds', help: 'Age of the oldest that waits.', type: 'gauge', read: each(({ oldestAt }) => age(oldestAt)) },
  ] as const
}
