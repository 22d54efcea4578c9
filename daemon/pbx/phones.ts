/** The phones of the house, put together: whoever takes calls there. */
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { Phones } from '../routing/routing.ts'
import type { Speaker } from '../speech/speaker.ts'
import { Emergency, type EmergencyOptions } from './emergency/emergency.ts'
import { takeToHouseExtension, type ExtensionsOptions } from './extensions.ts'
import { RingGroups } from './groups.ts'
import { Outside, type OutsideOptions } from './outside.ts'
import { Parking, type ParkingOptions } from './parking/parking.ts'
import { Music } from './talk/music.ts'
import type { TalkWatch } from './recording/talk-recorder.ts'
import { HouseTalks } from './talk/talks.ts'

type Served = ExtensionsOptions & OutsideOptions & EmergencyOptions

export interface PhonesOptions extends Omit<Served, 'talks' | 'calls'> {
  readonly calls: Pick<Calls, 'live' | 'minutes'>
  readonly speaker: Pick<Speaker, 'prepare'>
  readonly recorder: TalkWatch
  /** How people are told where a call is parked. */
  readonly parking: Pick<ParkingOptions, 'tell' | 'say'>
}

export interface HousePhones extends Phones {
  readonly outside: Outside
  readonly help: Emergency
  readonly talks: HouseTalks
  readonly music: Music
  readonly parking: Parking
  /** As that of `Pickup`. */
  pickUp(call: Call, extension: string, number: string): Promise<boolean>
}

export function createPhones(given: PhonesOptions): HousePhones {
  const music = new Music({ ...given, files: given.config.site.music })
  const talks = new HouseTalks({
    ...given,
    music,
    isHelp: (number) => help.numberIn(number) !== null,
    parkedBy: (leg) => parking.give(leg),
    isTaken: (slot) => parking.isTaken(slot),
    consulting: (leg) => given.calls.live().find((call) => call.leg === leg && !call.answered && !call.ending) ?? null,
  })
  const options = { ...given, talks }
  const parking = new Parking({ ...options, ...given.parking, music, pickup: talks.pickup })
  const outside = new Outside(options)
  const groups = new RingGroups({ ...options, outside })
  const help = new Emergency(options)
  return {
    outside,
    help,
    talks,
    music,
    parking,
    park: (call, slot, request) => parking.take(call, slot === '' ? null : slot, request),
    parked: (call, slot) => parking.fetch(call, slot),
    pickUp: (call, extension, number) => talks.pickup.take(call, extension, number),
    takePlace: (call, replaced) => talks.takePlace(call, replaced),
    external: (call, number, request) => outside.take(call, number, request),
    extension: (call, number, request) => takeToHouseExtension(options, call, number, request),
    group: (call, id, request) => groups.take(call, id, request),
  }
}
