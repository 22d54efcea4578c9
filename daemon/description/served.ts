/** All routes that a box serves: those of its parts, and those about the box and its documents. */
import type { Health } from '../base/health.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Eraser } from '../erasure/erasure.ts'
import { storedRoutes } from '../erasure/routes.ts'
import { docsRoutes } from '../http/docs-routes.ts'
import { healthRoutes, metricsRoutes } from '../http/health-routes.ts'
import type { Route } from '../http/route.ts'
import type { Site } from '../http/site.ts'
import { openApiDocument, socketDocument } from './openapi.ts'

export interface ServedOptions {
  readonly parts: readonly { readonly routes?: readonly Route[]; readonly erasers?: Readonly<Record<string, Eraser>> }[]
  readonly health: Health
  readonly metrics: Metrics
  /** The documentation, where it was built. */
  readonly site: Site | undefined
}

export function servedRoutes({ parts, health, metrics, site }: ServedOptions): readonly Route[] {
  const erasers = Object.assign({}, ...parts.map((part) => part.erasers ?? {})) as Record<string, Eraser>
  const all: Route[] = [
    ...parts.flatMap((part) => part.routes ?? []),
    ...storedRoutes(erasers),
    ...healthRoutes({ health }),
    ...metricsRoutes({ metrics }),
  ]
  all.push(...docsRoutes({ web: (now) => openApiDocument(all, now), socket: () => socketDocument(all) }, site))
  return all
}
