/** The person at the simulated far end: follows a script, or does as ordered. */
import type { LegEnd } from '../line.ts'
import type { SimLeg, SimNotice } from './leg.ts'
import type { SimClock } from './time.ts'

export type SimStep =
  /** Until the call is answered. Steps that need an answered call wait for it on their own. */
  | { readonly do: 'wait-answered' }
  /** Until something was played since the last key or word, and then nothing for `quietMs` (300); at most `mostMs` (60 s). */
  | { readonly do: 'wait-prompts'; readonly quietMs?: number; readonly mostMs?: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** Until nothing was heard for `quietMs` (3 s at most), whether or not something silent is played; at most `mostMs`. */
  | { readonly do: 'wait-quiet'; readonly quietMs: number; readonly mostMs: number }
  /** Keys one after the other, each `ms` long (100) with `gapMs` between (100). */
  | { readonly do: 'press'; readonly digits: string; readonly ms?: number; readonly gapMs?: number }
  /** A sound of the person's own, 8 kHz. The script goes on at its end. */
  | { readonly do: 'speak'; readonly samples: Int16Array }
  | { readonly do: 'hold' | 'resume' }
  | { readonly do: 'hangup' }

export class FarEnd {
  readonly #leg: SimLeg
  readonly #clock: SimClock
  readonly #notice: (notice: SimNotice) => void
  #heardSinceInput = false
  #quietSince = 0
  #stopped = false
  readonly #watchers = new Set<() => void>()

  constructor(leg: SimLeg, clock: SimClock, notice: (notice: SimNotice) => void) {
    this.#leg = leg
    this.#clock = clock
    this.#notice = notice
  }

  /** What happened on the leg; wakes steps that wait. */
  saw(notice: SimNotice): void {
    if (notice.type === 'heard') {
      this.#heardSinceInput = true
      this.#quietSince = this.#clock.now()
    }
    for (const wake of this.#watchers) wake()
  }

  /** The other side waits for the person without having played anything: a silent prompt that has just ended. */
  asked(): void {
    if (this.#leg.isPlaying) return
    this.#heardSinceInput = true
    this.#quietSince = this.#clock.now()
    for (const wake of this.#watchers) wake()
  }

  stop(): void {
    this.#stopped = true
    for (const wake of this.#watchers) wake()
  }

  /** Runs to the end of the script or of the call. The person stays on the line after the last step. */
  async run(script: readonly SimStep[]): Promise<void> {
    for (const step of script) {
      if (this.#stopped) return
      await this.#step(step)
    }
  }

  async press(digits: string, ms = 100, gapMs = 100): Promise<void> {
    for (const digit of digits) {
      this.#heardSinceInput = false
      await this.#sleep(ms)
      if (this.#stopped) return
      this.#notice({ type: 'pressed', atMs: this.#clock.now(), digit })
      this.#leg.emit({ type: 'digit', digit, method: 'rfc4733', durationMs: ms })
      await this.#sleep(gapMs)
    }
  }

  async speak(samples: Int16Array): Promise<void> {
    this.#heardSinceInput = false
    const ms = samples.length / 8
    this.#notice({ type: 'spoke', atMs: this.#clock.now(), ms })
    this.#leg.speak(samples)
    await this.#sleep(ms)
  }

  hangup(): void {
    const end: LegEnd = this.#leg.isAnswered
      ? { by: 'remote', reason: 'hangup', sipCode: 200, cause: 16, text: 'Normal clearing' }
      : this.#leg.direction === 'inbound'
        ? { by: 'remote', reason: 'canceled', sipCode: 487, cause: 16, text: 'Canceled' }
        : { by: 'remote', reason: 'rejected', sipCode: 603, cause: 21, text: 'Declined' }
    this.#leg.end(end)
  }

  hold(on: boolean): void {
    this.#leg.emit({ type: on ? 'held' : 'resumed' })
  }

  async #step(step: SimStep): Promise<void> {
    switch (step.do) {
      case 'wait-answered':
        return this.#answered()
      case 'wait':
        return this.#sleep(step.ms)
      case 'wait-prompts':
        await this.#answered()
        return this.#promptsOver(step.quietMs ?? 300, step.mostMs ?? 60_000)
      case 'wait-quiet':
        return this.#quiet(step.quietMs, step.mostMs)
      case 'press':
        await this.#answered()
        return this.press(step.digits, step.ms, step.gapMs)
      case 'speak':
        await this.#answered()
        return this.speak(step.samples)
      case 'hold':
      case 'resume':
        await this.#answered()
        return this.hold(step.do === 'hold')
      case 'hangup':
        return this.hangup()
    }
  }

  async #answered(): Promise<void> {
    while (!this.#leg.isAnswered && !this.#stopped) await this.#change()
  }

  async #promptsOver(quietMs: number, mostMs: number): Promise<void> {
    const deadline = this.#clock.now() + mostMs
    while (!this.#stopped) {
      const now = this.#clock.now()
      if (now >= deadline) return
      if (this.#leg.isPlaying || !this.#heardSinceInput) {
        await this.#change(deadline - now)
        continue
      }
      const left = this.#quietSince + quietMs - now
      if (left <= 0) return
      await this.#change(Math.min(left, deadline - now))
    }
  }

  async #quiet(quietMs: number, mostMs: number): Promise<void> {
    const began = this.#clock.now()
    await this.#sleep(quietMs)
    while (!this.#stopped && this.#clock.now() - began < mostMs && !this.#leg.wasQuiet(quietMs)) await this.#sleep(100)
  }

  #sleep(ms: number): Promise<void> {
    if (this.#stopped || ms <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel()
        this.#watchers.delete(wake)
        resolve()
      }
      const wake = (): void => {
        if (this.#stopped) done()
      }
      const timer = this.#clock.after(ms, done)
      this.#watchers.add(wake)
    })
  }

  /** Something happened on the leg, or `mostMs` went by. */
  #change(mostMs = 60_000): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel()
        this.#watchers.delete(done)
        resolve()
      }
      const timer = this.#clock.after(mostMs, done)
      this.#watchers.add(done)
    })
  }
}
