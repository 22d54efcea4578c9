/** The telephone system of the house: where it sends calls on by itself. */
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { Hours } from '../pbx/hours/hours.ts'
import type { HouseTakers, Routing } from '../routing/routing.ts'

export function pbxPart(core: Core, { destinations }: Pick<Routing, 'destinations'>): Part & HouseTakers {
  const hours = new Hours({ ...core, destinations })
  return { name: 'pbx', hours }
}
