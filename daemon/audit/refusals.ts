/**
 * What was refused, such as a wrong token: the first of its kind is recorded at once, those of the minute after it as one row with
 * their count, so that nobody fills the disk by being refused. Kinds: deed, actor, address and error.
 */
import type { Clock, Timer } from '../base/clock.ts'
import type { Deed } from './audit.ts'
import type { Owed } from './owed.ts'

export type Refusal = Deed & { readonly outcome: string }

const windowMs = 60_000
/** Kinds in a minute; what is beyond them is counted together. */
const mostKinds = 40
const others = '(others)'

export class Refusals {
  readonly #owed: Owed
  readonly #clock: Clock
  readonly #more = new Map<string, { refusal: Refusal; count: number }>()
  #timer: Timer | null = null
  #watcher: (refusal: Refusal) => void = () => undefined

  constructor(owed: Owed, clock: Clock) {
    this.#owed = owed
    this.#clock = clock
  }

  /** The watcher is called for every refusal from then on. */
  watch(watcher: (refusal: Refusal) => void): void {
    this.#watcher = watcher
  }

  count(refusal: Refusal): void {
    this.#watcher(refusal)
    let told = refusal
    let key = keyOf(told)
    if (!this.#more.has(key) && this.#more.size >= mostKinds) {
      told = { ...refusal, actor: others, address: others, object: '', requestId: '', outcome: others }
      key = keyOf(told)
    }
    const known = this.#more.get(key)
    if (known !== undefined) {
      known.count++
      return
    }
    this.#more.set(key, { refusal: told, count: 0 })
    this.#timer ??= this.#clock.after(windowMs, () => void this.flush())
    void this.#owed.write(told)
  }

  /** Writes the counts; nothing is lost at a stop. */
  async flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    const counted = [...this.#more.values()].filter(({ count }) => count > 0)
    this.#more.clear()
    await Promise.all(counted.map(({ refusal, count }) => this.#owed.write({ ...refusal, object: '', requestId: '', count })))
  }
}

function keyOf({ deed, actor, address, outcome }: Refusal): string {
  return `${deed} ${actor} ${address} ${outcome}`
}
