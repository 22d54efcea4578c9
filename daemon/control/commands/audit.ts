/** `pbx audit`: who did what, whether the trail was tampered with, and all of it for somebody who wants to check it. */
import { ApiError } from '../../errors.ts'
import { limitOf, type ControlRoute } from '../route.ts'
import type { AuditQueryView, AuditServicesView, ControlServices } from '../services.ts'

function auditOf(services: ControlServices): AuditServicesView {
  if (services.audit === undefined) throw new ApiError('not_found', 'This daemon keeps no audit trail.')
  return services.audit
}

function queryOf(query: URLSearchParams): AuditQueryView {
  const given = (name: 'actor' | 'deed' | 'object') => {
    const value = query.get(name)
    return value === null ? {} : { [name]: value }
  }
  const since = query.get('since')
  const at = since === null ? undefined : Date.parse(since)
  if (Number.isNaN(at)) throw new ApiError('validation_failed', `"${since}" is not a time; write it as 2026-03-02 or 2026-03-02T14:05Z.`)
  return { ...given('actor'), ...given('deed'), ...given('object'), ...(at === undefined ? {} : { since: at }) }
}

export const auditRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/audit',
    deed: 'audit.read',
    answer: (services, { query }) => auditOf(services).list(queryOf(query), limitOf(query, 50)),
  },
  {
    method: 'GET',
    path: '/audit-verdict',
    answer: (services, { query }) => auditOf(services).verify(query.get('known')),
  },
  {
    method: 'POST',
    path: '/audit-export',
    deed: 'audit.read',
    async stream(services, { query, signal }, emit) {
      for await (const row of auditOf(services).export(queryOf(query))) {
        if (signal.aborted) return
        emit(row)
      }
    },
  },
]
