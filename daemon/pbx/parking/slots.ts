/** The slots of parking, and who waits in each. */
import { derived } from '../../base/derived.ts'
import type { Leg } from '../../../drivers/line.ts'
import type { WatchedDialog } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { Config } from '../../schema/config.ts'
import { slotsOf } from '../../schema/config/pbx-parking.ts'

/** Who waits in a slot. */
export interface Parked {
  readonly call: Call
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The extension that has parked the call; '' for none. */
  readonly by: string
}

export class ParkingSlots {
  readonly #all: () => readonly string[]
  readonly #parked = new Map<string, Parked>()
  readonly #observers = new Set<(slot: string) => void>()

  constructor(config: Pick<Config, 'parking'>) {
    this.#all = derived(config, () => slotsOf(config.parking))
  }

  /** The observer is called with a slot that is taken or free from now on. */
  onChange(tell: (slot: string) => void): void {
    this.#observers.add(tell)
  }

  /** The wanted one where it is free, else the first free one; undefined where all are taken. */
  free(wanted: string | null): string | undefined {
    return wanted !== null && !this.isTaken(wanted) ? wanted : this.#all().find((slot) => !this.isTaken(slot))
  }

  /** All slots, also those that are free. */
  all(): readonly string[] {
    return this.#all()
  }

  put(slot: string, call: Call, by = ''): void {
    this.#parked.set(slot, { call, by, at: call.time.now() })
    this.#tell(slot)
  }

  /** Nothing where somebody else has the slot by now. */
  leave(slot: string, call: Call): void {
    if (this.#parked.get(slot)?.call !== call) return
    this.#parked.delete(slot)
    this.#tell(slot)
  }

  at(slot: string): Call | undefined {
    return this.#parked.get(slot)?.call
  }

  parked(slot: string): Parked | undefined {
    return this.#parked.get(slot)
  }

  /** The slot that a call holds with this leg, which its phone gives to another call; null for none. The call is ended. */
  give(leg: Leg): string | null {
    for (const [slot, { call }] of this.#parked) {
      if (call.leg !== leg) continue
      this.#parked.delete(slot)
      call.end({ reason: 'routed-ended', by: 'system' })
      return slot
    }
    return null
  }

  isTaken(slot: string): boolean {
    return this.#parked.has(slot)
  }

  has(slot: string): boolean {
    return this.#all().includes(slot)
  }

  /** For the lamp of a slot. */
  dialogs(slot: string): readonly WatchedDialog[] {
    const call = this.at(slot)
    return call === undefined ? [] : [{ id: call.id, state: 'confirmed', direction: 'recipient' }]
  }

  #tell(slot: string): void {
    for (const observe of this.#observers) observe(slot)
  }
}
