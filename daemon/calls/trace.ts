/** What happened in one call, step by step, for `pbx trace` and the trace route: bounded, and masked where `sensitive`. */
import type { TraceEntry } from '../store/tables.ts'

const mostEntries = 1000

export class CallTrace {
  readonly #began: number
  readonly #entries: TraceEntry[] = []
  #dropped = 0
  #observers = new Set<(entry: TraceEntry) => void>()

  constructor(began: number) {
    this.#began = began
  }

  add(now: number, kind: string, text: string, data?: unknown): void {
    const entry: TraceEntry = {
      at: new Date(now).toISOString(),
      ms: now - this.#began,
      kind,
      text,
      ...(data === undefined ? {} : { data }),
    }
    if (this.#entries.length < mostEntries) this.#entries.push(entry)
    else this.#dropped += 1
    for (const observe of this.#observers) observe(entry)
  }

  /** Entries are handed over as they are made, until the returned function is called. */
  observe(observer: (entry: TraceEntry) => void): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  entries(): TraceEntry[] {
    return this.#entries
  }

  get dropped(): number {
    return this.#dropped
  }
}
