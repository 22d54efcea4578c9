/** Drives the gather machine on a clock of its own, as the runtime does. */
import {
  collectStart,
  collectStep,
  type CollectEffect,
  type CollectInput,
  type CollectParams,
  type CollectResult,
  type CollectState,
} from '../../daemon/voice/collect.ts'

export const base: CollectParams = {
  keys: true,
  speech: false,
  maxDigits: 32,
  minDigitsBeforeFinish: 0,
  minDigitsBeforePause: 1,
  finishKeys: '#',
  timeoutMs: 5000,
  interDigitMs: 3000,
  speechMs: 15_000,
  keysInterrupt: true,
  speechInterrupts: false,
  typeAhead: false,
}
export const menu: Partial<CollectParams> = { maxDigits: 1, minDigitsBeforePause: 1, finishKeys: '' }
export const four: Partial<CollectParams> = { maxDigits: 4, minDigitsBeforePause: 4 }
export const both: Partial<CollectParams> = { speech: true, speechInterrupts: true }
export const speechOnly: Partial<CollectParams> = { keys: false, keysInterrupt: false, speech: true, speechInterrupts: true }

export class Run {
  state: CollectState
  at = 1000
  effects: string[] = []
  results: { at: number; result: CollectResult }[] = []

  constructor(params: Partial<CollectParams>, options: { prompts?: boolean; keysBefore?: string } = {}) {
    const step = collectStart(
      { ...base, ...params },
      { at: this.at, prompts: options.prompts ?? false, keysBefore: options.keysBefore ?? '' },
    )
    this.state = step.state
    this.#take(step.effects)
  }

  input(input: Happening): this {
    const step = collectStep(this.state, { ...input, at: this.at })
    this.state = step.state
    this.#take(step.effects)
    return this
  }

  keys(keys: string): this {
    for (const key of keys) this.input({ type: 'key', key })
    return this
  }

  promptsFinished(): this {
    return this.input({ type: 'prompts-finished' })
  }

  /** Lets time pass, and every deadline on the way. */
  wait(ms: number): this {
    const target = this.at + ms
    while (this.state.deadline !== null && this.state.deadline <= target) {
      this.at = Math.max(this.at, this.state.deadline)
      this.input({ type: 'timer' })
    }
    this.at = target
    return this
  }

  get result(): CollectResult | undefined {
    return this.results[0]?.result
  }

  /** Milliseconds from the start to the end. */
  get endedAfter(): number {
    return (this.results[0]?.at ?? NaN) - 1000
  }

  #take(effects: readonly CollectEffect[]): void {
    for (const effect of effects) {
      this.effects.push(effect.type)
      if (effect.type === 'done') this.results.push({ at: this.at, result: effect.result })
    }
  }
}
export type Happening = CollectInput extends infer Input ? (Input extends CollectInput ? Omit<Input, 'at'> : never) : never
