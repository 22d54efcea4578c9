/** Every route of the daemon, as a function of the services behind them. Nothing of a service is touched before a request. */
import type { Health } from '../../health.ts'
import type { Metrics } from '../../metrics.ts'
import type { LiveCalls } from '../../voice/live.ts'
import type { Recordings } from '../../voice/recordings.ts'
import { openApiDocument } from '../openapi.ts'
import type { Route } from '../route.ts'
import { docsRoutes } from './docs.ts'
import { healthRoutes } from './health.ts'
import { callsShimRoutes } from './calls-shim.ts'
import { metricsRoutes } from './metrics.ts'
import { recordingRoutes } from './recordings.ts'
import { voiceRoutes, type VoiceServices } from './voice.ts'

export interface RouteServices {
  readonly health: Health
  readonly metrics: Metrics
  readonly voice: VoiceServices
  readonly recordings: Recordings
  readonly live: LiveCalls
}

export function routes(services: RouteServices): Route[] {
  const all: Route[] = []
  all.push(...voiceRoutes(services.voice), ...recordingRoutes(services.recordings), ...callsShimRoutes(services.live))
  all.push(...healthRoutes(services), ...metricsRoutes(services), ...docsRoutes(() => openApiDocument(all)))
  return all
}
