/**
 * Watches one speech process: that it answers, that no decode takes ten times as long as its audio, that loading comes to
 * an end, that it keeps within its memory.
 */
import { readFile } from 'node:fs/promises'
import type { Clock, Timer } from '../../base/clock.ts'

/** Durations in milliseconds. */
export interface WatchLimits {
  readonly pingEvery: number
  readonly pingsUnanswered: number
  /** For one engine. */
  readonly loadWithin: number
  /** A decode of a short piece is given this long. */
  readonly workAtLeast: number
  readonly memoryEvery: number
  readonly memoryKb: number
}

const workFactor = 10

export interface WatchOptions {
  readonly pid: number
  readonly clock: Clock
  readonly limits: WatchLimits
  readonly ping: (n: number) => void
  /** Called once at most. */
  readonly fault: (reason: string) => void
}

export class ProcessWatch {
  readonly #options: WatchOptions
  readonly #work = new Map<number, Timer>()
  #ping: Timer | null = null
  #load: Timer | null = null
  #memory: Timer | null = null
  #pings = 0
  #unanswered = 0
  #rssKb: number | null = null
  #over = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.loading('')
    this.#watchMemory()
  }

  get rssKb(): number | null {
    return this.#rssKb
  }

  loading(id: string): void {
    const { clock, limits } = this.#options
    this.#load?.cancel()
    const what = id === '' ? 'to start' : `to load ${id}`
    this.#load = clock.after(limits.loadWithin, () => this.#fault(`it took more than ${limits.loadWithin / 1000} s ${what}`))
  }

  ready(): void {
    this.#load?.cancel()
    this.#load = null
    this.#pingLater()
  }

  pong(): void {
    this.#unanswered = 0
  }

  work(work: number, audioMs: number): void {
    const { clock, limits } = this.#options
    const limit = Math.max(limits.workAtLeast, audioMs * workFactor)
    const fault = (): void =>
      this.#fault(`it worked for more than ${Math.round(limit / 1000)} s on ${(audioMs / 1000).toFixed(1)} s of audio`)
    this.#work.set(work, clock.after(limit, fault))
  }

  worked(work: number): void {
    this.#work.get(work)?.cancel()
    this.#work.delete(work)
  }

  stop(): void {
    this.#over = true
    for (const timer of [this.#ping, this.#load, this.#memory, ...this.#work.values()]) timer?.cancel()
    this.#work.clear()
  }

  /** Unanswered pings are counted, not time: a daemon that was itself held up must not blame the process. */
  #pingLater(): void {
    const { clock, limits, ping } = this.#options
    this.#ping = clock.after(limits.pingEvery, () => {
      if (this.#unanswered >= limits.pingsUnanswered) {
        this.#fault(`it left ${this.#unanswered} pings unanswered`)
        return
      }
      this.#unanswered += 1
      this.#pings += 1
      ping(this.#pings)
      this.#pingLater()
    })
  }

  #watchMemory(): void {
    const { clock, limits, pid } = this.#options
    this.#memory = clock.after(limits.memoryEvery, () => {
      void residentKb(pid).then((rssKb) => {
        if (this.#over) return
        this.#rssKb = rssKb
        if (rssKb !== null && rssKb > limits.memoryKb) {
          this.#fault(`it took ${Math.round(rssKb / 1024)} MB of memory and may have ${Math.round(limits.memoryKb / 1024)} MB`)
        } else {
          this.#watchMemory()
        }
      })
    })
  }

  #fault(reason: string): void {
    if (this.#over) return
    this.stop()
    this.#options.fault(reason)
  }
}

/** Resident memory of a process; null when it is gone. */
async function residentKb(pid: number): Promise<number | null> {
  try {
    const match = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))
    return match === null ? null : Number(match[1])
  } catch {
    return null
  }
}
