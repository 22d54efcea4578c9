/** The audit trail. */
import { pruneAudit } from '../audit/retention.ts'
import type { Core } from '../core.ts'
import { auditRoutes } from '../http/routes/audit.ts'
import type { Part } from '../part.ts'

export function auditPart({ config, configFile, store, trail, clock }: Core): Part {
  const { audit } = trail
  return {
    name: 'audit',
    routes: auditRoutes(store),
    sweeps: [{ what: 'audit trail', sweep: () => pruneAudit({ store, audit, clock, years: config.audit.years }) }],
    start: () => trail.started(configFile),
    stop: () => trail.stop(),
  }
}
