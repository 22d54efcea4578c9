/** Whether the daemon lives and whether it is ready, for service managers, load balancers and people. */
import { Type } from '@sinclair/typebox'
import { shownWarning, type Health, type PartReport } from '../base/health.ts'
import { defineRoute, type Route } from './route.ts'
import type { Metrics } from '../base/metrics.ts'

/** Figures for Prometheus. */
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

const PartSchema = Type.Object(
  {
    ok: Type.Boolean(),
    reason: Type.String({ description: 'Why it is not well; with a token a whole sentence.' }),
    required: Type.Boolean({ description: 'Whether the box is unready without it.' }),
  },
  { $id: 'Part' },
)

const ReadinessSchema = Type.Object(
  {
    ready: Type.Boolean(),
    parts: Type.Record(Type.String(), PartSchema),
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          code: Type.String(),
          severity: Type.Union([Type.Literal('notice'), Type.Literal('warning'), Type.Literal('error')]),
          text: Type.String(),
          fix: Type.String({ description: 'The command, or the line of configuration, that repairs it.' }),
          since: Type.String({ format: 'date-time' }),
        }),
        { description: 'Only with a token.' },
      ),
    ),
  },
  { $id: 'Readiness' },
)

export function healthRoutes(services: { readonly health: Health }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/healthz',
      access: 'public',
      anyHost: true,
      operationId: 'getHealth',
      summary: 'Whether the daemon is alive',
      tag: 'Operation',
      responses: { 200: { description: 'It is.', schema: Type.Object({ ok: Type.Boolean() }), example: { ok: true } } },
      handle: () => ({ status: 200, body: { ok: true } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/readyz',
      access: 'optional',
      anyHost: true,
      operationId: 'getReadiness',
      summary: 'Whether the daemon is ready, by part',
      description:
        'Strangers learn which part is not well and roughly why; with an access token the answer also has the details and the warnings.',
      tag: 'Operation',
      responses: {
        200: {
          description: 'All required parts are well.',
          schema: ReadinessSchema,
          example: { ready: true, parts: { store: { ok: true, reason: '', required: true } } },
        },
        503: {
          description: 'A required part is not well.',
          schema: ReadinessSchema,
          example: { ready: false, parts: { engine: { ok: false, reason: 'starting', required: true } } },
        },
      },
      handle: ({ token, technician }) => {
        const { ready, parts } = services.health.report()
        // Warnings name calls and applications of all endpoints.
        const known = technician || (token !== null && token.reach === null)
        const body: Record<string, unknown> = { ready, parts: Object.fromEntries(parts.map((part) => [part.name, partView(part, known)])) }
        if (known) body.warnings = services.health.warnings().map(shownWarning)
        return { status: ready ? 200 : 503, body }
      },
    }),
    defineRoute({
      method: 'OPTIONS',
      path: '/',
      access: 'public',
      anyHost: true,
      operationId: 'checkReadiness',
      summary: 'Whether the daemon is ready, as proxies ask it by default',
      tag: 'Operation',
      responses: { 204: { description: 'It is.' }, 503: { description: 'A required part is not well.' } },
      handle: () => ({ status: services.health.report().ready ? 204 : 503 }),
    }),
  ]
}

function partView(part: PartReport, known: boolean): { ok: boolean; reason: string; required: boolean } {
  const reason = known ? part.detail : harmless(part)
  return { ok: part.ok, reason, required: part.required }
}

/** A reason that names a number or an address in spite of its rule is kept from strangers. */
export function harmless({ ok, reason }: Pick<PartReport, 'ok' | 'reason'>): string {
  return reason.length <= 80 && /^[A-Za-z ,;'-]*$/.test(reason) ? reason : ok ? '' : 'not well'
}
