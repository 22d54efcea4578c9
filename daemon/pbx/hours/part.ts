/** Hours: calls go where the calendar says, or where somebody has set by hand. */
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Attendant } from '../codes/attendant.ts'
import { hoursCodes } from './codes.ts'
import { HoursDesk } from './desk.ts'
import { Hours } from './hours.ts'
import { Overrides } from './overrides.ts'
import { hoursRoutes } from './routes.ts'

export interface HoursPart extends Part {
  readonly hours: Hours
  /** What is set by hand. */
  readonly overrides: Overrides
}

export interface HoursPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'features' | 'takers'>
  readonly attendant: Attendant
}

export function hoursPart(
  { config, store, clock }: Pick<Ground, 'config' | 'store' | 'clock'>,
  { routing, attendant }: HoursPartOptions,
): HoursPart {
  const { destinations, features, takers } = routing
  const overrides = new Overrides({ store, clock })
  const hours = new Hours({ config, clock, destinations, overrides })
  takers.add('hours', (call, { id }, request) => hours.take(call, id, request))
  features.addAll(hoursCodes({ config, hours, overrides, clock, attendant }))
  return {
    name: 'hours',
    hours,
    overrides,
    routes: hoursRoutes(new HoursDesk({ config, hours, overrides, clock })),
    start: () => overrides.start(),
    stop: () => overrides.stop(),
  }
}
