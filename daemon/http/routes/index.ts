/** Every route of the daemon, as a function of the services behind them. Nothing of a service is touched before a request. */
import type { Health } from '../../health.ts'
import type { Metrics } from '../../metrics.ts'
import { openApiDocument } from '../openapi.ts'
import type { Route } from '../route.ts'
import { docsRoutes } from './docs.ts'
import { healthRoutes } from './health.ts'
import { metricsRoutes } from './metrics.ts'

export interface RouteServices {
  readonly health: Health
  readonly metrics: Metrics
}

export function routes(services: RouteServices): Route[] {
  const all: Route[] = []
  all.push(...healthRoutes(services), ...metricsRoutes(services), ...docsRoutes(() => openApiDocument(all)))
  return all
}
