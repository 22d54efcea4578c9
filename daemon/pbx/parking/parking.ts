/** Parked calls: each waits with music in a slot, until a phone dials the slot or the extension that parked it is rung again. */
import { pbxLeg } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { connect, type ConnectOptions, type Search } from '../../routing/connect.ts'
import type { TakeRequest } from '../../routing/destinations.ts'
import { answered, canceled, type Taken } from '../../routing/taken.ts'
import type { Config } from '../../schema/config.ts'
import { isSiteTrunk } from '../../schema/config/sites.ts'
import type { Pickup } from '../talk/pickup.ts'
import type { Music } from '../talk/music.ts'
import type { ParkingSlots } from './slots.ts'

export interface ParkingOptions extends ConnectOptions {
  readonly config: Pick<Config, 'parking' | 'site'>
  readonly slots: ParkingSlots
  readonly music: Pick<Music, 'now'>
  readonly pickup: Pick<Pickup, 'takeCall'>
  readonly log: Log
  /** Announces the slot to the phone that parked a call; it has hung up. */
  readonly tell: (extension: string, slot: string) => Promise<void>
  /** Says the slot to a phone that dialled the number of the parking itself. */
  readonly say: (call: Call, slot: string) => Promise<void>
}

const full: Taken = { outcome: 'busy', sipCode: 486, text: 'all parking slots are taken' }
const nobody: Taken = { outcome: 'no-answer', sipCode: 480, text: 'nobody picked up the parked call' }
const empty: Taken = { outcome: 'unreachable', sipCode: 404, text: 'no call is parked there' }

export class Parking {
  readonly #options: ParkingOptions

  constructor(options: ParkingOptions) {
    this.#options = options
  }

  /**
   * Parks a call; resolves when it has ended, was taken, or nobody wanted it. `number`: of the slot, where it is one that is free; else the
   * first free one is taken.
   */
  async take(call: Call, number: string, request: TakeRequest): Promise<Taken> {
    const { music, clock, config, slots } = this.#options
    const wanted = slots.free(number)
    if (wanted === undefined) return full
    // Before the answer: another call may come meanwhile.
    slots.put(wanted, call, request.sentBy)
    const leave = (): void => {
      pbxLeg(call.leg)?.stopLoop()
      slots.leave(wanted, call)
    }
    try {
      if (!(await call.answer()) || request.signal.aborted) return canceled
      call.note('state', `parked at ${wanted}`)
      await this.#announce(call, wanted, number, request)
      if (request.signal.aborted || call.isTerminal) return canceled
      const { clip, offsetMs } = music.now()
      pbxLeg(call.leg)?.loop(clip, offsetMs)
      return await connect(this.#options, call, request, () => new Waiting(clock, config.parking.timeoutSeconds * 1000, leave))
    } finally {
      leave()
    }
  }

  /** A phone dials a slot: it talks with who is parked there. */
  async fetch(call: Call, slot: string): Promise<Taken> {
    const { pickup, slots } = this.#options
    return (await pickup.takeCall(call, () => slots.at(slot))) ? answered : empty
  }

  async #announce(call: Call, slot: string, number: string, { sentBy = '', arrival }: TakeRequest): Promise<void> {
    const { tell, say, log } = this.#options
    if (number === slot) return
    if (sentBy !== '')
      void tell(sentBy, slot).catch((error: unknown) =>
        log.warn({ err: error, callId: call.id, slot }, 'the place of a parked call could not be announced'),
      )
    else if (arrival !== undefined && (call.row.extension !== '' || isSiteTrunk(call.row.trunkId))) await say(call, slot)
  }
}

/** Nobody is rung: somebody takes the call, or the time is up. */
class Waiting implements Search {
  onRinging: () => void = () => undefined
  readonly quiet = true
  readonly found: Promise<Taken>
  readonly release: () => void

  constructor(clock: Clock, ms: number, over: () => void) {
    const found = Promise.withResolvers<Taken>()
    const end = (taken: Taken): void => {
      timer.cancel()
      over()
      found.resolve(taken)
    }
    const timer = clock.after(ms, () => end(nobody))
    this.found = found.promise
    this.release = () => end(canceled)
  }
}
