/** The slots of parking, and who waits in each. */
import { isoTime } from '../../base/clock.ts'
import { derived } from '../../base/derived.ts'
import { ApiError } from '../../base/errors.ts'
import type { Leg } from '../../../drivers/line.ts'
import type { WatchedDialog } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { Config } from '../../schema/config.ts'
import { slotsOf } from '../../schema/config/pbx-parking.ts'
import type { Destination } from '../../schema/destination.ts'
import type { ParkedSlotView } from '../../schema/parking.ts'
import type { WaitingPlace } from '../talk/transfer-way.ts'

/** Who waits in a slot. */
interface Parked {
  readonly call: Call
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The extension that has parked the call; '' for none. */
  readonly by: string
}

export class ParkingSlots implements WaitingPlace {
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

  /** The wanted one where it is a slot that is free, else the first free one; undefined where all are taken. */
  free(wanted = ''): string | undefined {
    return this.has(wanted) && !this.isTaken(wanted) ? wanted : this.#all().find((slot) => !this.isTaken(slot))
  }

  /** Where a call is parked that a person sends from a page. Throws ApiError not_now. */
  placeFor(call: Call): Destination {
    if (this.#all().some((slot) => this.at(slot) === call)) throw new ApiError('not_now', 'This call is parked already.')
    const number = this.free()
    if (number === undefined) throw new ApiError('not_now', 'All parking slots are taken.')
    return { kind: 'park', number }
  }

  /** All slots, also those that are free. */
  list(): ParkedSlotView[] {
    return this.#all().map((slot) => {
      const parked = this.#parked.get(slot)
      if (parked === undefined) return { slot, call: null }
      const { call, at, by } = parked
      const { number, name } = call.party
      return { slot, call: { callId: call.id, from: number, callerName: name, since: isoTime(at), by } }
    })
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

  /** To a slot in which nobody waits a phone sends a call to park it there: that is what the Park keys of many do. */
  transferred(destination: Destination): Destination {
    const parks = destination.kind === 'parked' && !this.isTaken(destination.number)
    return parks ? { kind: 'park', number: destination.number } : destination
  }

  give(leg: Leg): Destination | null {
    for (const [slot, { call }] of this.#parked) {
      if (call.leg !== leg) continue
      this.#parked.delete(slot)
      call.end({ reason: 'routed-ended', by: 'system' })
      return { kind: 'park', number: slot }
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
