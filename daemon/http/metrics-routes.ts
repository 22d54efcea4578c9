/** Figures for Prometheus. */
import type { Metrics } from '../base/metrics.ts'
import { defineRoute, type Route } from './route.ts'

export function metricsRoutes(services: { readonly metrics: Metrics }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/metrics',
      access: 'admin',
      operationId: 'getMetrics',
      summary: 'Figures for Prometheus',
      tag: 'Operation',
      responses: {
        200: {
          description: 'The figures, in the text form of Prometheus.',
          contentType: 'text/plain',
          example: '# HELP pbx_calls_active Calls in progress.\n# TYPE pbx_calls_active gauge\npbx_calls_active 3\n',
        },
      },
      handle: async () => ({ status: 200, text: await services.metrics.text() }),
    }),
  ]
}
