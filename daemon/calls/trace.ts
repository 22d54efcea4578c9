/**
 * What happened in one call, step by step, for `pbx trace` and the trace route: bounded, and masked as it is written, so that what a
 * person said or pressed is not in the store. Who watches a call while it happens sees it as it is, but for what is `sensitive`.
 */
import type { Clock } from '../clock.ts'
import type { TraceEntry } from '../store/tables.ts'
import { masked } from './trace-mask.ts'

const mostEntries = 1000
const longestText = 4000
const mostDataBytes = 16 * 1024
const mostBytes = 1024 * 1024

export class CallTrace {
  readonly #began: number
  readonly #full: boolean
  #entries: TraceEntry[] = []
  #bytes = 0
  #dropped = 0
  #observers = new Set<(entry: TraceEntry) => void>()

  /** `began`: of the clock that nobody sets. `full`: nothing is masked. */
  constructor(began: number, full = false) {
    this.#began = began
    this.#full = full
  }

  add(clock: Pick<Clock, 'now' | 'elapsed'>, kind: string, text: string, data?: unknown): void {
    const happened: TraceEntry = {
      at: new Date(clock.now()).toISOString(),
      ms: clock.elapsed() - this.#began,
      kind,
      text: text.length > longestText ? `${text.slice(0, longestText)}…` : text,
      ...(data === undefined ? {} : { data }),
    }
    this.#keep(limited(this.#full ? happened : masked(happened)))
    for (const observe of this.#observers) observe(happened)
  }

  #keep({ entry, bytes }: { entry: TraceEntry; bytes: number }): void {
    if (this.#entries.length === mostEntries || this.#bytes + bytes > mostBytes) {
      this.#dropped += 1
      return
    }
    this.#entries.push(entry)
    this.#bytes += bytes
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

  /** What was deleted does not come back when the call ends. */
  forget(): void {
    this.#entries = []
    this.#bytes = 0
  }
}

/** A control document may have 64 KiB, and a call hundreds of them. */
function limited(entry: TraceEntry): { entry: TraceEntry; bytes: number } {
  const { data, ...rest } = entry
  const dataBytes = data === undefined ? 0 : Buffer.byteLength(JSON.stringify(data) ?? '')
  const kept = dataBytes > mostDataBytes ? { ...rest, data: { leftOutBytes: dataBytes } } : entry
  return { entry: kept, bytes: Buffer.byteLength(entry.text) + Math.min(dataBytes, mostDataBytes) + 80 }
}
