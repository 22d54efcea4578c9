/** Figures for Prometheus: each is kept by its part; the library that formats them is loaded when somebody first asks. */
import type { Registry } from 'prom-client'

/** Counts by labels since the start of the daemon, for those who measure it. */

export type Tally = readonly (readonly [labels: Record<string, string>, value: number])[]

export class Counts {
  readonly #counts = new Map<string, { labels: Record<string, string>; value: number }>()

  add(labels: Record<string, string>, amount = 1): void {
    const key = Object.values(labels).join(' ')
    const entry = this.#counts.get(key)
    if (entry === undefined) this.#counts.set(key, { labels, value: amount })
    else entry.value += amount
  }

  tally(): Tally {
    return [...this.#counts.values()].map(({ labels, value }) => [labels, value])
  }
}

export type Labels = Record<string, string>
export type Sample = readonly [labels: Labels, value: number]

/** A figure that somebody keeps: read at every look. */
export interface Figure {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly read: () => Iterable<Sample>
}

export class Metrics {
  readonly #figures = new Map<string, Figure>()
  #registry: Promise<Registry> | undefined

  /** Throws where another has its name. */
  add(figure: Figure): void {
    if (this.#figures.has(figure.name)) throw new Error(`two figures are called ${figure.name}`)
    this.#figures.set(figure.name, figure)
    void this.#registry?.then((registry) => register(registry, figure))
  }

  /** All figures, and those of the process, in Prometheus' text form. */
  async text(): Promise<{ type: string; content: string }> {
    const registry = await (this.#registry ??= this.#load())
    return { type: registry.contentType, content: await registry.metrics() }
  }

  async #load(): Promise<Registry> {
    const { Registry, collectDefaultMetrics } = (await import('prom-client')).default
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    for (const figure of this.#figures.values()) register(registry, figure)
    return registry
  }
}

function register(registry: Registry, { name, help, type, read }: Figure): void {
  const values = () => Array.from(read(), ([labels, value]) => ({ labels, value }))
  // The registry asks of a metric its name and what `get` resolves to, nothing else.
  const metric = { name, help, type, get: async () => ({ name, help, type, aggregator: 'sum', values: values() }) }
  registry.registerMetric(metric as never)
}
