/** What the daemon knows of the time of day: when it is set, whom it is told to, and whether it can be believed. */
import { bootId, type Clock } from './clock.ts'
import { ClockSteps } from './clock-steps.ts'
import { ClockTrust } from './clock-trust.ts'
import { clockSynchronised } from './control/doctor.ts'
import type { Health } from './health.ts'
import type { Log } from './log.ts'
import type { Config } from './schema/config.ts'
import type { Store } from './store/store.ts'

export interface TimeServices {
  /** Whether the time of day can be believed. */
  trusted(): boolean
  /** `queues` hold what waits for a moment; null for one that is not configured. */
  start(queues: readonly ({ stepped(stepMs: number): void } | null)[]): void
  stop(): void
}

interface TimeOptions {
  readonly config: Config
  readonly store: Store
  readonly health: Health
  readonly clock: Clock
  readonly log: Log
}

const toldMs = 3_600_000

export function createTime({ config, store, health, clock, log }: TimeOptions): TimeServices {
  const steps = new ClockSteps(clock, log)
  const always = config.reminders.clock === 'any'
  const trust = new ClockTrust({ store, clock, log, ask: clockSynchronised, bootId: bootId(), always })
  return {
    trusted: () => trust.trusted(),
    start(queues) {
      steps.onStep((stepMs) => {
        for (const queue of queues) queue?.stepped(stepMs)
        const text = `The clock was set ${stepMs < 0 ? 'back' : 'forward'} by ${Math.round(Math.abs(stepMs) / 1000)} s`
        health.warn('clock-set', { severity: 'notice', text, fix: 'pbx doctor', lastsMs: toldMs })
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
