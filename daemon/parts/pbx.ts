/** The telephone system of the house: where it sends calls on by itself. */
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { Hours } from '../pbx/hours/hours.ts'
import { Menus } from '../pbx/menus/menus.ts'
import type { HouseTakers, Routing, RoutingOptions } from '../routing/routing.ts'
import type { Speech } from '../speech/speech.ts'

export interface PbxPartOptions extends Pick<RoutingOptions, 'applications'>, Pick<Routing, 'destinations'> {
  readonly speech: Pick<Speech, 'speaker'>
}

export interface PbxPart extends Part, HouseTakers {
  readonly menus: Menus
}

export function pbxPart(core: Core, options: PbxPartOptions): PbxPart {
  const hours = new Hours({ ...core, ...options })
  const menus = new Menus({ ...core, ...options })
  return {
    name: 'pbx',
    hours,
    menus,
    start: () => void menus.warm(options.speech.speaker),
  }
}
