/** Where a call would go. */
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import { Where, type WhereOptions } from './where.ts'
import { whereRoutes } from './routes.ts'

export function wherePart({ config }: Pick<Ground, 'config'>, options: Omit<WhereOptions, 'config'>): Part {
  const { help, codes, settings, hours, trunks, calls, lines } = options
  return { name: 'where', routes: whereRoutes(new Where({ config, help, codes, settings, hours, trunks, calls, lines })) }
}
