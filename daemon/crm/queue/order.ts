/**
 * The order in which ended calls are sent to the CRM: for one call one thing after the other, across calls those that ended first, and one
 * of four slots only for calls of the last minute, so that a backlog does not delay current calls. In memory; the store has the truth.
 */
export interface Entry {
  readonly key: string
  readonly callId: string
  readonly endedAt: number
  readonly kind: 'log' | 'note'
  nextAt: number
}

const slots = 4
const reserved = 1
const liveMs = 60_000

export class Order {
  /** By key, which begins with when the call ended. */
  readonly #waiting: Entry[] = []
  readonly #byKey = new Map<string, Entry>()
  /** Calls that are being sent to the CRM, and whether they are of the last minute. */
  readonly #busy = new Map<string, boolean>()
  #notes = 0

  get size(): number {
    return this.#byKey.size
  }

  /** How many of them are notes. */
  get notes(): number {
    return this.#notes
  }

  /** Again, where it was there: with its new time. */
  put(entry: Entry): void {
    const known = this.#byKey.get(entry.key)
    if (known !== undefined) {
      known.nextAt = entry.nextAt
      return
    }
    this.#byKey.set(entry.key, entry)
    if (entry.kind === 'note') this.#notes++
    this.#waiting.splice(this.#placeOf(entry.key), 0, entry)
  }

  remove(key: string): void {
    const gone = this.#byKey.get(key)
    if (gone === undefined) return
    this.#byKey.delete(key)
    if (gone.kind === 'note') this.#notes--
    this.#waiting.splice(this.#placeOf(key), 1)
  }

  /** The next that may be sent now; its call is busy until `done`. */
  take(now: number): Entry | undefined {
    if (this.#busy.size >= slots) return undefined
    const full = [...this.#busy.values()].filter((live) => !live).length >= slots - reserved
    const passed = new Set<string>()
    for (const entry of this.#waiting) {
      const { callId, endedAt, nextAt } = entry
      if (this.#busy.has(callId) || passed.has(callId)) continue
      // What comes after it in the same call waits with it.
      passed.add(callId)
      const live = now - endedAt <= liveMs
      if (nextAt > now || (full && !live)) continue
      this.#busy.set(callId, live)
      return entry
    }
    return undefined
  }

  done({ callId }: Entry): void {
    this.#busy.delete(callId)
  }

  /** When `take` may have something that is not due yet; undefined: nothing waits for its time. */
  nextAt(now: number): number | undefined {
    let next: number | undefined
    for (const { nextAt } of this.#waiting) if (nextAt > now && (next === undefined || nextAt < next)) next = nextAt
    return next
  }

  /** The clock was set: what waits is as far away as it was. */
  stepped(stepMs: number): void {
    for (const entry of this.#waiting) Object.assign(entry, { nextAt: entry.nextAt + stepMs, endedAt: entry.endedAt + stepMs })
  }

  /** Makes every waiting entry due at once. */
  hurry(now: number): void {
    for (const entry of this.#waiting) entry.nextAt = Math.min(entry.nextAt, now)
  }

  get oldest(): Entry | undefined {
    return this.#waiting[0]
  }

  #placeOf(key: string): number {
    let [low, high] = [0, this.#waiting.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#waiting[middle]!.key < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
