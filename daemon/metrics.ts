/**
 * Figures for Prometheus. Counting is a few additions on plain numbers; the library that formats them is loaded when
 * somebody first asks.
 */
import type { Registry } from 'prom-client'

export type Labels = Record<string, string>
export type Sample = readonly [labels: Labels, value: number]

interface Value {
  labels: Record<string, string | number>
  value: number
  metricName?: string
}

interface Figure {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  values(): Value[]
}

export class Counter {
  readonly #values = new Map<string, { labels: Labels; value: number }>()

  add(labels: Labels = {}, amount = 1): void {
    const key = Object.values(labels).join('\n')
    const entry = this.#values.get(key)
    if (entry === undefined) this.#values.set(key, { labels, value: amount })
    else entry.value += amount
  }

  values(): Value[] {
    return [...this.#values.values()].map(({ labels, value }) => ({ labels, value }))
  }
}

export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > this.#bounds[at]!) at++
    this.#counts[at]!++
    this.#sum += value
  }

  values(name: string): Value[] {
    let count = 0
    const values: Value[] = this.#counts.map((inBucket, at) => {
      count += inBucket
      return { labels: { le: this.#bounds[at] ?? '+Inf' }, value: count, metricName: `${name}_bucket` }
    })
    values.push({ labels: {}, value: this.#sum, metricName: `${name}_sum` }, { labels: {}, value: count, metricName: `${name}_count` })
    return values
  }
}

export class Metrics {
  readonly #figures = new Map<string, Figure>()
  #registry: Promise<Registry> | undefined

  counter(name: string, help: string): Counter {
    const counter = new Counter()
    this.#add({ name, help, type: 'counter', values: () => counter.values() })
    return counter
  }

  /** `bounds`: upper ends of the buckets, ascending, in the unit of the name. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(bounds)
    this.#add({ name, help, type: 'histogram', values: () => histogram.values(name) })
    return histogram
  }

  /** A figure that somebody else keeps: read at every look. */
  observed(name: string, help: string, type: 'counter' | 'gauge', read: () => Iterable<Sample>): void {
    this.#add({ name, help, type, values: () => Array.from(read(), ([labels, value]) => ({ labels, value })) })
  }

  /** All figures, and those of the process, in Prometheus' text form. */
  async text(): Promise<{ type: string; content: string }> {
    const registry = await (this.#registry ??= this.#load())
    return { type: registry.contentType, content: await registry.metrics() }
  }

  #add(figure: Figure): void {
    if (this.#figures.has(figure.name)) throw new Error(`two figures are called ${figure.name}`)
    this.#figures.set(figure.name, figure)
    void this.#registry?.then((registry) => register(registry, figure))
  }

  async #load(): Promise<Registry> {
    const { Registry, collectDefaultMetrics } = await import('prom-client')
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    for (const figure of this.#figures.values()) register(registry, figure)
    return registry
  }
}

function register(registry: Registry, { name, help, type, values }: Figure): void {
  // The registry asks of a metric its name and what `get` resolves to, nothing else.
  const metric = { name, help, type, get: async () => ({ name, help, type, aggregator: 'sum', values: values() }) }
  registry.registerMetric(metric as never)
}
