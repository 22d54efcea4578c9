/** Parking. */
import type { Ground } from '../../core.ts'
import type { CallRecords } from '../../history/records.ts'
import type { Part } from '../../part.ts'
import type { Routing } from '../../routing/routing.ts'
import { languagesOf } from '../../schema/config/pbx-extensions.ts'
import type { Voice } from '../../voice/voice.ts'
import { words } from '../../words/words.ts'
import type { Attendant } from '../codes/attendant.ts'
import type { CallControl } from '../control/control.ts'
import { CallOut } from '../emergency/call-out.ts'
import type { Music } from '../talk/music.ts'
import type { HouseTalks } from '../talk/talks.ts'
import { Parking } from './parking.ts'
import { parkingRoutes } from './routes.ts'
import { ParkingSlots } from './slots.ts'

export interface ParkingPart extends Part {
  /** For lamps and pages. */
  readonly slots: ParkingSlots
}

export interface ParkingPartOptions {
  readonly routing: Pick<Routing, 'originator' | 'takers'>
  readonly talks: HouseTalks
  readonly music: Music
  readonly voice: Pick<Voice, 'serve'>
  readonly attendant: Attendant
  readonly control: Pick<CallControl, 'sendTo'>
  readonly records: Pick<CallRecords, 'get'>
}

export function parkingPart(
  { config, clock, log }: Pick<Ground, 'config' | 'clock' | 'log'>,
  { routing, talks, music, voice, attendant, control, records }: ParkingPartOptions,
): ParkingPart {
  const { originator, takers } = routing
  const slots = new ParkingSlots(config)
  const notice = new CallOut({ originator, clock, name: 'parking-notice', ringSeconds: 15 })
  const parking = new Parking({
    ...{ config, clock, log, talks, music, slots },
    pickup: talks.pickup,
    tell: (extension, slot) => {
      const shown = words(...languagesOf(config, extension)).phones.parked(slot)
      return notice.ring(extension, { from: slot, shown, said: attendant.words('parkedAt', slot, extension) })
    },
    say: (call, slot) => attendant.say(call, 'parkedAt', slot),
  })
  voice.serve(notice)
  takers.addAll({
    park: (call, { number }, request) => parking.take(call, number, request),
    parked: (call, { number }) => parking.fetch(call, number),
  })
  talks.places.push(slots)
  const routes = parkingRoutes({
    park: (callId, own) => control.sendTo(callId, own, (call) => slots.placeFor(call)),
    record: (callId) => records.get(callId),
    slots: () => slots.list(),
  })
  return { name: 'parking', slots, routes }
}
