/** Screens on the wall that show the queues. */
import type { Ground } from '../core.ts'
import type { Part } from '../part.ts'
import { consoleDefaults } from '../schema/config/console.ts'
import type { QueueView } from '../schema/queues.ts'
import { wallRoutes } from './routes.ts'
import { Wall } from './wall.ts'

export function wallPart({ config, store, clock }: Ground, queues: () => readonly QueueView[]): Part {
  const wall = new Wall({ store, clock })
  const waitSeconds = (): number => (config.console === 'off' ? undefined : config.console.waitSeconds) ?? consoleDefaults.waitSeconds
  return {
    name: 'wall',
    ...(config.console === 'off' ? {} : { routes: wallRoutes({ wall, clock, queues, waitSeconds }) }),
    sweeps: [{ what: 'sessions of screens', sweep: () => wall.sweep() }],
  }
}
