/** Talks of two: joined, held, transferred, picked up, and handed on to the next run of this program. */
import type { PbxLines } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { Calls, Outlives } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import { pickupAtSite, siteOf } from '../../schema/config/sites.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Attendant } from '../codes/attendant.ts'
import { emergencyNumberIn } from '../emergency/numbers.ts'
import type { TalkWatch } from '../recording/talk-recorder.ts'
import { Music } from './music.ts'
import { keepAlone } from './tag.ts'
import { HouseTalks } from './talks.ts'
import type { Features } from '../../routing/desks.ts'
import type { Pickup } from './pickup.ts'

/** The code by which a phone takes a call that rings at another. */
interface PickupCodeOptions {
  readonly config: Pick<Ground['config'], 'sites' | 'extensions'>
  readonly pickup: Pick<Pickup, 'take'>
  readonly attendant: Attendant
}

function pickupCode({ config, pickup, attendant }: PickupCodeOptions) {
  return {
    pickup: async (call, extension, number) => {
      if (siteOf(config, number) !== undefined) return pickupAtSite + number
      if (!(await pickup.take(call, extension, number)) && !call.over.aborted) await attendant.say(call, 'nothingRings')
      return null
    },
  } satisfies Partial<Features>
}

export interface TalkPart extends Part {
  readonly talks: HouseTalks
  readonly music: Music
  /** Whether the call would go on without this program: `now` where two talk. */
  outlives(call: Call): Outlives
}

export interface TalkPartOptions {
  readonly routing: Pick<Routing, 'desks' | 'destinations' | 'features' | 'inbound' | 'trunks'>
  readonly calls: Calls
  readonly driver: Pick<PbxLines, 'onReplacing'>
  readonly recorder: TalkWatch
  readonly attendant: Attendant
}

export function talkPart(
  { config, clock, log }: Pick<Ground, 'config' | 'clock' | 'log'>,
  { routing, calls, driver, recorder, attendant }: TalkPartOptions,
): TalkPart {
  const { desks, destinations, features, inbound, trunks } = routing
  const music = new Music({ files: config.site.music, clock, log })
  const talks = new HouseTalks({
    ...{ config, trunks, clock, destinations, recorder, music },
    isHelp: (number) => emergencyNumberIn(config, number) !== null,
    consulting: (leg) => calls.live().find((call) => call.leg === leg && !call.answered && !call.ending) ?? null,
  })
  desks.add('keep', keepAlone)
  features.addAll(pickupCode({ config, pickup: talks.pickup, attendant }))
  driver.onReplacing((info, replaced) => void inbound.takeFor(info, (call) => talks.takePlace(call, replaced)))
  return { name: 'talks', talks, music, outlives: (call) => talks.outlives(call) }
}
