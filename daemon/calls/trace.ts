/**
 * What happened in one call, step by step, for `pbx trace` and the trace route: bounded, and masked before anybody reads it, so that what a
 * person said or pressed is not in the store. An observer of a live call sees it unmasked, except for what is `sensitive`.
 */
import { isoTime, type Clock } from '../base/clock.ts'
import { Ours } from '../base/for-log.ts'
import type { TraceEntry } from '../store/tables.ts'
import { masked, unmarked } from './trace-mask.ts'

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
  /** So many entries at the end are still as they happened: most traces are read once, when the call has ended. */
  #unmasked = 0
  #observers: Set<(entry: TraceEntry) => void> | null = null

  /** `began`: of the clock that nobody sets. `full`: nothing is masked. */
  constructor(began: number, full = false) {
    this.#began = began
    this.#full = full
  }

  add(clock: Pick<Clock, 'now' | 'elapsed'>, kind: string, given: string | Ours, data?: unknown): void {
    const own = given instanceof Ours
    const text = String(given)
    const happened: TraceEntry = {
      at: isoTime(clock.now()),
      ms: clock.elapsed() - this.#began,
      kind,
      text: text.length > longestText ? `${text.slice(0, longestText)}…` : text,
    }
    if (data !== undefined) happened.data = unmarked(data)
    if (data !== undefined || own) {
      // What it is of may change.
      this.#mask()
      this.#keep(limited(this.#full ? happened : masked(data === undefined ? happened : { ...happened, data }, own)))
    } else if (this.#keep(limited(happened)) && !this.#full) this.#unmasked += 1
    if (this.#observers !== null) for (const observe of this.#observers) observe(happened)
  }

  #mask(): void {
    for (let at = this.#entries.length - this.#unmasked; at < this.#entries.length; at++) this.#entries[at] = masked(this.#entries[at]!)
    this.#unmasked = 0
  }

  #keep({ entry, bytes }: { entry: TraceEntry; bytes: number }): boolean {
    if (this.#entries.length === mostEntries || this.#bytes + bytes > mostBytes) {
      this.#dropped += 1
      return false
    }
    this.#entries.push(entry)
    this.#bytes += bytes
    return true
  }

  /** Entries are handed over as they are made, until the returned function is called. */
  observe(observer: (entry: TraceEntry) => void): () => void {
    const observers = (this.#observers ??= new Set()).add(observer)
    return () => observers.delete(observer)
  }

  entries(): TraceEntry[] {
    this.#mask()
    return this.#entries
  }

  get dropped(): number {
    return this.#dropped
  }

  /** What was deleted does not come back when the call ends. */
  forget(): void {
    this.#entries = []
    this.#unmasked = 0
    this.#bytes = 0
  }
}

/** A control document may have 64 KiB, and a call hundreds of them. */
function limited(entry: TraceEntry): { entry: TraceEntry; bytes: number } {
  if (entry.data === undefined) return { entry, bytes: Buffer.byteLength(entry.text) + 80 }
  const { data, ...rest } = entry
  const dataBytes = Buffer.byteLength(JSON.stringify(data) ?? '')
  const kept = dataBytes > mostDataBytes ? { ...rest, data: { leftOutBytes: dataBytes } } : entry
  return { entry: kept, bytes: Buffer.byteLength(entry.text) + Math.min(dataBytes, mostDataBytes) + 80 }
}
