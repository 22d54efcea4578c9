/** The audit trail. */
import { pruneAudit } from './retention.ts'
import type { Core } from '../core.ts'
import { auditRoutes } from '../http/audit-routes.ts'
import type { Part } from '../part.ts'

export function auditPart({ config, configFile, store, trail, clock }: Core): Part {
  const { audit } = trail
  return {
    name: 'audit',
    routes: auditRoutes(store),
    sweeps: [{ what: 'audit trail', sweep: () => pruneAudit({ store, audit, clock, years: config.audit.years }) }],
    *warnings() {
      const { waiting, lost } = trail.owed
      if (waiting + lost === 0) return
      const text =
        `${waiting} rows of the audit trail wait for the disk; they are in the log` +
        (lost === 0 ? '' : `; ${lost} more are only in the log`)
      yield { code: 'audit-waits', severity: 'error', text, fix: 'free space on the disk of storage.dir; journalctl -u pbxd -p err' }
    },
    start: () => trail.started(configFile),
    stop: () => trail.stop(),
  }
}
