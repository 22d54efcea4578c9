/** The audit trail. */
import type { Core } from '../core.ts'
import { auditRoutes } from '../http/audit-routes.ts'
import type { Part } from '../part.ts'
import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import { bySystem, type Audit } from './audit.ts'
import { linkText } from './chain.ts'

/** Rows of the audit trail that are past their time leave from the old end; what is left still proves itself. */
const yearMs = 365.25 * 86_400_000
/** Rows a transaction removes, so that no other writer waits long. */
const batch = 1000

/** How many were removed. */
export async function pruneAudit(options: { store: Store; audit: Audit; clock: Clock; years: number }): Promise<number> {
  const { store, audit, clock, years } = options
  const { tables } = store
  const end = clock.now() - years * yearMs
  let removed = 0
  for (;;) {
    const old: { key: string; seq: number; hash: string }[] = []
    for (const { key, value } of tables.audit.range({ limit: batch })) {
      if (Date.parse(value.time) >= end) break
      old.push({ key, seq: value.seq, hash: value.hash })
    }
    const last = old.at(-1)
    if (last === undefined) return removed
    await store.transaction(() => {
      for (const { key } of old) tables.audit.remove(key)
      tables.meta.put('audit:anchor', linkText(last))
      audit.record(bySystem('audit.prune', linkText(last), old.length))
    })
    removed += old.length
    if (old.length < batch) return removed
  }
}

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
