/** The daily ceilings. */
import type { Ground } from '../core.ts'
import type { Part } from '../part.ts'
import { Ceilings } from './ceilings.ts'
import { limitRoutes } from './routes.ts'
import { ceilingWarnings } from './warnings.ts'

export function ceilingsPart({ config, store, clock, log }: Ground): Part {
  const ceilings = new Ceilings({ config, store, clock })
  return { name: 'ceilings', routes: limitRoutes({ ceilings, store }), warnings: ceilingWarnings(ceilings, log) }
}
