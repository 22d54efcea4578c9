/** The telephone system of the house: its phones, calls to the outside and for help, and where it sends calls on by itself. */
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import type { EmergencyCall } from '../pbx/emergency.ts'
import { Hours } from '../pbx/hours/hours.ts'
import { Menus } from '../pbx/menus/menus.ts'
import { createPhones } from '../pbx/phones.ts'
import type { HouseTakers, Routing, RoutingOptions } from '../routing/routing.ts'
import type { Speech } from '../speech/speech.ts'
import { helpWarnings } from './help-warnings.ts'

export interface PbxPartOptions extends Pick<RoutingOptions, 'applications'>, Pick<Routing, 'destinations' | 'trunks'> {
  readonly calls: Calls
  readonly speech: Pick<Speech, 'speaker'>
}

export interface PbxPart extends Part, HouseTakers {
  readonly menus: Menus
}

const rememberMs = 86_400_000

export function pbxPart(core: Core, options: PbxPartOptions): PbxPart {
  const { trail, log } = core
  const { destinations, trunks } = options
  const hours = new Hours({ ...core, ...options })
  const menus = new Menus({ ...core, ...options })
  const tell = ({ callId, extension }: EmergencyCall): void => {
    trail
      .emergency(callId, extension)
      .catch((error: unknown) => log.error({ err: error, callId }, 'an emergency call could not be recorded'))
  }
  const phones = createPhones({ ...core, ...options, tell, send: destinations.send.bind(destinations) })
  return {
    name: 'pbx',
    hours,
    menus,
    phones,
    *warnings() {
      yield* helpWarnings(core, phones, (trunkId) => trunks.fault(trunkId))
      const at = phones.outside.tooManyAbroadAt
      if (at === null || core.clock.now() - at > rememberMs) return
      yield {
        code: 'too-many-abroad',
        severity: 'warning',
        text: 'A call to another country was refused in the last day, because as many as limits.internationalCalls were under way',
        fix: 'pbx calls --all: are these calls yours?',
      }
    },
    start: () => void menus.warm(options.speech.speaker),
  }
}
