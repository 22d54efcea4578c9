/**
 * Notices when the time of day is set: a box whose clock starts wrong is put right by a time server while it works. What waits for a moment
 * of the day is notified once, by how much that moment has moved.
 */
import { leastStepMs, type Clock, type Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'

const beatMs = 1000

export class ClockSteps {
  readonly #clock: Clock
  readonly #log: Log
  readonly #observers: ((stepMs: number) => void)[] = []
  #offset: number
  #timer: Timer | null = null

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
    this.#offset = clock.now() - clock.elapsed()
  }

  /** `stepMs`: how much later the clock says it is than it would have said; below 0 it was set back. */
  onStep(observer: (stepMs: number) => void): void {
    this.#observers.push(observer)
  }

  start(): void {
    this.#timer = this.#clock.after(beatMs, () => {
      this.look()
      this.start()
    })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  look(): void {
    const offset = this.#clock.now() - this.#clock.elapsed()
    const stepMs = offset - this.#offset
    this.#offset = offset
    if (Math.abs(stepMs) < leastStepMs) return
    this.#log.warn({ stepSeconds: Math.round(stepMs / 1000) }, 'the clock was set')
    for (const observe of this.#observers) observe(stepMs)
  }
}
