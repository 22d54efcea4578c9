/** Routing over one driver that serves every line, of a box that receives no faxes. */
import type { ApplicationRunner } from '../../daemon/routing/application.ts'
import { createRouting, type Routing, type RoutingOptions } from '../../daemon/routing/routing.ts'
import type { ServedLines } from '../../daemon/routing/lines.ts'

type Box = Pick<RoutingOptions, 'config' | 'calls' | 'store' | 'clock' | 'log'>

export function routingOver(box: Box, driver: ServedLines['driver'], applications: () => ApplicationRunner): Routing {
  return createRouting({ ...box, lines: [{ driver, serves: () => true }], applications, receiveFax: async () => undefined })
}
