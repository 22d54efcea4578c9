/** The time of day: notifies every part when it is set, and judges whether it can be believed. */
import { bootId, leastStepMs, type Clock, type Timer } from '../../base/clock.ts'
import { ClockTrust } from './clock-trust.ts'
import { clockSynchronised } from '../../doctor/doctor.ts'
import type { Assembly } from '../../assembly.ts'
import type { Core } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Log } from '../../base/log.ts'

/**
 * Notices when the time of day is set: a box whose clock starts wrong is put right by a time server while it works. What waits for a moment
 * of the day is notified once, by how much that moment has moved.
 */
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

export interface TimePart extends Part {
  /** Whether the time of day can be believed. */
  readonly trusted: () => boolean
}

const toldMs = 3_600_000

export function timePart(
  { config, store, health, clock, log }: Core,
  { assembly }: { readonly assembly: Pick<Assembly, 'stepped'> },
): TimePart {
  const steps = new ClockSteps(clock, log)
  const always = config.reminders.clock === 'any'
  const trust = new ClockTrust({ store, clock, log, ask: clockSynchronised, bootId: bootId(), always })
  return {
    name: 'time',
    trusted: () => trust.trusted(),
    warnings() {
      if (trust.trusted()) return []
      const text =
        'The clock does not follow a time server yet: reminder calls wait, and signatures fail if the clock is wrong by more than 300 s'
      const fix = 'timedatectl set-ntp true; if there is no time server and the clock is right: reminders: { clock: any }'
      return [{ code: 'clock-untrusted', kind: 'clock', severity: 'warning', text, fix }]
    },
    start() {
      steps.onStep((stepMs) => {
        health.stepped(stepMs)
        assembly.stepped(stepMs)
        const text = `The clock was set ${stepMs < 0 ? 'back' : 'forward'} by ${Math.round(Math.abs(stepMs) / 1000)} s`
        health.warn('clock-set', { kind: 'clock', severity: 'notice', text, fix: 'pbx doctor', lastsMs: toldMs })
      })
      steps.start()
      trust.start()
    },
    stop() {
      steps.stop()
      trust.stop()
    },
  }
}
