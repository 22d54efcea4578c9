/** What may be sent now: by time, at most so many at once to one host and in all, and one at a time of each fifo. */
import { DueHeap } from './due-heap.ts'

export interface Waiting {
  readonly eventId: string
  readonly host: string
  readonly fifo: string
  at: number
  readonly order: number
}

export class Lanes {
  readonly #perHost: number
  readonly #total: number
  readonly #heap = new DueHeap<Waiting>()
  readonly #byId = new Map<string, Waiting>()
  readonly #active = new Set<Waiting>()
  readonly #hosts = new Map<string, { active: number; waiting: Waiting[] }>()
  /** Every entry of a fifo in order; only the first is in the heap, at a host, or active. */
  readonly #fifos = new Map<string, Waiting[]>()
  #order = 0

  constructor(limits: { perHost: number; total: number }) {
    this.#perHost = limits.perHost
    this.#total = limits.total
  }

  add(entry: Omit<Waiting, 'order'>): void {
    if (this.#byId.has(entry.eventId)) return
    const waiting = { ...entry, order: this.#order++ }
    this.#byId.set(waiting.eventId, waiting)
    if (waiting.fifo !== '') {
      const fifo = this.#fifos.get(waiting.fifo)
      if (fifo !== undefined) {
        fifo.push(waiting)
        return
      }
      this.#fifos.set(waiting.fifo, [waiting])
    }
    this.#heap.push(waiting)
  }

  /** The next entry that is due and may go; it counts as active until `finish` or `postpone`. */
  take(now: number): Waiting | undefined {
    while (this.#active.size < this.#total) {
      const first = this.#heap.peek()
      if (first === undefined || first.at > now) return undefined
      this.#heap.pop()
      const host = this.#host(first.host)
      if (host.active < this.#perHost) {
        host.active++
        this.#active.add(first)
        return first
      }
      host.waiting.push(first)
    }
    return undefined
  }

  /** When to ask again; undefined where only a finished attempt can change anything. */
  nextAt(): number | undefined {
    return this.#active.size < this.#total ? this.#heap.peek()?.at : undefined
  }

  finish(entry: Waiting): void {
    this.#release(entry)
    this.#byId.delete(entry.eventId)
    const fifo = this.#fifos.get(entry.fifo)
    if (fifo === undefined) return
    fifo.shift()
    const next = fifo[0]
    if (next === undefined) this.#fifos.delete(entry.fifo)
    else this.#heap.push(next)
  }

  postpone(entry: Waiting, at: number): void {
    this.#release(entry)
    entry.at = at
    this.#heap.push(entry)
  }

  /** Makes an entry due at `at`; true where it is known, also where it is under way or waits behind others. */
  hurry(eventId: string, at: number): boolean {
    const entry = this.#byId.get(eventId)
    if (entry === undefined) return false
    if (this.#active.has(entry)) return true
    const queued = this.#heap.remove(entry)
    entry.at = at
    if (queued) this.#heap.push(entry)
    return true
  }

  #release(entry: Waiting): void {
    this.#active.delete(entry)
    const host = this.#host(entry.host)
    host.active--
    const next = host.waiting.shift()
    if (next !== undefined) this.#heap.push(next)
    else if (host.active === 0) this.#hosts.delete(entry.host)
  }

  #host(name: string): { active: number; waiting: Waiting[] } {
    let host = this.#hosts.get(name)
    if (host === undefined) this.#hosts.set(name, (host = { active: 0, waiting: [] }))
    return host
  }
}
