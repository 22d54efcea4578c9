/** The telephone system of the house: its phones, and where it sends calls on by itself. */
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { Hours } from '../pbx/hours/hours.ts'
import { createPhones } from '../pbx/phones.ts'
import type { HouseTakers, Routing } from '../routing/routing.ts'

export function pbxPart(core: Core, calls: Calls, { destinations, trunks }: Pick<Routing, 'destinations' | 'trunks'>): Part & HouseTakers {
  const hours = new Hours({ ...core, destinations })
  return { name: 'pbx', hours, phones: createPhones({ ...core, calls, trunks, send: destinations.send.bind(destinations) }) }
}
