/** Phones that asked for settings and are not known: so that whoever plugged them in need not read MAC addresses off their backs. */
import { isoTime, type Clock } from '../base/clock.ts'
import type { PhonesView } from '../schema/phones.ts'

type One = PhonesView['asked'][number]

const most = 50

export class Asked {
  readonly #clock: Clock
  readonly #byMac = new Map<string, One>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(one: Omit<One, 'at'>): void {
    this.#byMac.delete(one.mac)
    this.#byMac.set(one.mac, { ...one, at: isoTime(this.#clock.now()) })
    const [oldest] = this.#byMac.keys()
    if (this.#byMac.size > most && oldest !== undefined) this.#byMac.delete(oldest)
  }

  /** The last first. */
  list(): One[] {
    return [...this.#byMac.values()].toReversed()
  }
}
