/** The audit trail. */
import { pruneAudit } from '../audit/retention.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'

export function auditPart({ config, configFile, store, trail, clock }: Core): Part {
  const { audit } = trail
  return {
    name: 'audit',
    control: { audit: trail.control },
    sweeps: [{ what: 'audit trail', sweep: () => pruneAudit({ store, audit, clock, years: config.audit.years }) }],
    start: () => trail.started(configFile),
    stop: () => trail.stop(),
  }
}
