/** What the technician's socket does with the audit trail. */
import { ApiError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'
import { parseLink } from './chain.ts'
import { listAudit, readAudit, type AuditQuery } from './look.ts'
import { verifyAudit, type AuditVerdict } from './verify.ts'

export interface AuditControl {
  list(query: AuditQuery, limit: number): Promise<AuditRow[]>
  verify(known: string | null): Promise<AuditVerdict>
  export(query: AuditQuery): AsyncIterable<AuditRow>
}

export function auditControl(store: Store): AuditControl {
  return {
    list: (query, limit) => listAudit(store, query, limit),
    verify(known) {
      const link = known === null ? undefined : parseLink(known)
      if (known !== null && link === undefined)
        throw new ApiError('validation_failed', `"${known}" is not a number and a hash: 1234:8f3a...`)
      return verifyAudit(store, link)
    },
    export: (query) => readAudit(store, query),
  }
}
