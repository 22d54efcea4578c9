/** The telephone system of the house: its phones, calls to the outside and for help, and where it sends calls on by itself. */
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { CodedWarning, Part } from '../part.ts'
import type { EmergencyCall } from '../pbx/emergency.ts'
import { Hours } from '../pbx/hours/hours.ts'
import { createPhones, type HousePhones } from '../pbx/phones.ts'
import type { HouseTakers, Routing } from '../routing/routing.ts'

const rememberMs = 86_400_000

export function pbxPart(core: Core, calls: Calls, { destinations, trunks }: Pick<Routing, 'destinations' | 'trunks'>): Part & HouseTakers {
  const { trail, log } = core
  const hours = new Hours({ ...core, destinations })
  const tell = ({ callId, extension }: EmergencyCall): void => {
    trail
      .emergency(callId, extension)
      .catch((error: unknown) => log.error({ err: error, callId }, 'an emergency call could not be recorded'))
  }
  const phones = createPhones({ ...core, calls, trunks, tell, send: destinations.send.bind(destinations) })
  return {
    name: 'pbx',
    hours,
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
  }
}

function* helpWarnings({ config }: Core, { help }: HousePhones, fault: (trunkId: string) => string | null): Iterable<CodedWarning> {
  const sought = help.sought()
  const last = sought.at(-1)
  if (last !== undefined) {
    const lost = sought.filter((call) => call.lost)
    const name = config.extensions.find(({ number }) => number === last.extension)?.name ?? ''
    const who = [last.extension, name, config.emergency.location].filter((text) => text !== '').join(', ')
    yield {
      code: 'emergency-call',
      severity: 'error',
      text:
        lost.length > 0
          ? `AN EMERGENCY CALL COULD NOT BE PUT THROUGH: ${lost.length} of ${sought.length} in the last day; the last call for help came from ${who}`
          : `An emergency number was called ${sought.length} times in the last day, the last time from ${who}`,
      fix: 'pbx calls --all, pbx trace CALLID',
    }
  }
  if (config.extensions.length === 0) return
  const ways = help.trunks()
  if (ways.length > 0 && ways.some((trunkId) => fault(trunkId) === null)) return
  yield {
    code: 'no-emergency-route',
    severity: 'error',
    text: `EMERGENCY NUMBERS CANNOT BE DIALLED: ${ways.length === 0 ? 'there is no trunk' : 'no trunk is up'}`,
    fix: 'pbx lines; keep a telephone that can call for help, and say so at the phones',
  }
}
