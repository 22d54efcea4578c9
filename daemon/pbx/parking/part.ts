/** Parking. */
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Voice } from '../../voice/voice.ts'
import type { Attendant } from '../codes/attendant.ts'
import { CallOut } from '../emergency/call-out.ts'
import type { Music } from '../talk/music.ts'
import type { HouseTalks } from '../talk/talks.ts'
import { Parking } from './parking.ts'
import type { ParkingSlots } from './slots.ts'

export interface ParkingPartOptions {
  readonly routing: Pick<Routing, 'originator' | 'takers'>
  readonly talks: HouseTalks
  readonly music: Music
  readonly slots: ParkingSlots
  readonly voice: Pick<Voice, 'serve'>
  readonly attendant: Attendant
}

export function parkingPart(
  { config, clock, log }: Pick<Ground, 'config' | 'clock' | 'log'>,
  { routing, talks, music, slots, voice, attendant }: ParkingPartOptions,
): Part {
  const { originator, takers } = routing
  const notice = new CallOut({ originator, clock, name: 'parking-notice', ringSeconds: 15 })
  const parking = new Parking({
    ...{ config, clock, log, talks, music, slots },
    pickup: talks.pickup,
    tell: (extension, slot) => notice.ring(extension, { from: slot, ...attendant.parked(slot, extension) }),
    say: (call, slot) => attendant.say(call, 'parkedAt', slot),
  })
  voice.serve(notice)
  takers.addAll({
    park: (call, { slot }, request) => parking.take(call, slot === '' ? null : slot, request),
    parked: (call, { slot }) => parking.fetch(call, slot),
  })
  return { name: 'parking' }
}
