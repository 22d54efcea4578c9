/** The time of day: when it is set, every part is told; whether it can be believed. */
import { bootId } from '../../base/clock.ts'
import { ClockSteps } from './clock-steps.ts'
import { ClockTrust } from './clock-trust.ts'
import { clockSynchronised } from '../../doctor/doctor.ts'
import type { Assembly } from '../../assembly.ts'
import type { Core } from '../../core.ts'
import type { Part } from '../../part.ts'

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
