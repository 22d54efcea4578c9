/**
 * Who did what, whether the trail was tampered with, and all of it for somebody who wants to check it. A person of the desk sees the own
 * deeds, a technician of the console none of the ids that lead to patients.
 */
import { Type, type Static } from '@sinclair/typebox'
import { parseLink } from '../audit/chain.ts'
import { listAudit, readAudit, type AuditQuery } from '../audit/look.ts'
import { verifyAudit } from '../audit/verify.ts'
import { ApiError } from '../base/errors.ts'
import { AuditRowSchema, AuditVerdictSchema } from '../schema/audit.ts'
import type { Store } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'
import { seesMasked } from './mask.ts'
import { defineRoute, type Principal, type Route, Limit } from './route.ts'

const access = 'technician'
const tag = 'Audit trail'

const Chosen = {
  since: Type.Optional(Type.String({ description: 'From then on: 2026-03-02, 2026-03-02T14:05Z.' })),
  actor: Type.Optional(Type.String({ description: 'Of this token or user.' })),
  deed: Type.Optional(Type.String({ description: 'Such as inbox.media; fax for all about faxes.' })),
  object: Type.Optional(Type.String({ description: 'About this id.' })),
}
const ChosenSchema = Type.Object(Chosen)

function queryOf({ since, actor, deed, object }: Static<typeof ChosenSchema>): AuditQuery {
  const at = since === undefined ? undefined : Date.parse(since)
  if (Number.isNaN(at)) throw new ApiError('validation_failed', `"${since}" is not a time; write it as 2026-03-02 or 2026-03-02T14:05Z.`)
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(deed === undefined ? {} : { deed }),
    ...(object === undefined ? {} : { object }),
    ...(at === undefined ? {} : { since: at }),
  }
}

/** Of a person of the desk. */
function ownDeeds(token: Principal | null): Pick<AuditQuery, 'actor'> {
  const person = token?.person
  return person === undefined || person.roles.some((role) => role !== 'desk') ? {} : { actor: `person:${person.login}` }
}

/** Deeds about the box, whose objects are no ids of calls, documents or messages. */
const aboutBox = /^(alarm|audit|backup|ban|box|config|daemon|extension|hours|line|limits|modem|person|phone|queue|session|speech|token)\./

function withoutPatients(row: AuditRow): AuditRow {
  return aboutBox.test(row.deed) ? row : { ...row, object: '' }
}

export function auditRoutes(store: Store): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/audit',
      access,
      people: ['desk', 'manager', 'technician'],
      operationId: 'listAudit',
      deed: 'audit.read',
      summary: 'Deeds, newest first',
      tag,
      query: Type.Object({
        ...Chosen,
        before: Type.Optional(Type.Integer({ minimum: 1, description: '`seq` of the last row of the page before.' })),
        limit: Limit(50),
      }),
      responses: { 200: { description: 'Rows.', schema: Type.Array(AuditRowSchema) } },
      handle: async ({ query, token }) => {
        const rows = await listAudit(store, { ...queryOf(query), ...ownDeeds(token) }, query)
        return { status: 200, body: seesMasked(token) ? rows.map(withoutPatients) : rows }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/audit/verdict',
      access,
      people: ['manager', 'technician'],
      operationId: 'verifyAudit',
      summary: 'Look for rows that were changed, removed, put in or moved',
      tag,
      query: Type.Object({
        known: Type.Optional(Type.String({ description: 'Number and hash of a row that was noted down before: 1234:8f3a...' })),
      }),
      responses: { 200: { description: 'What was found.', schema: AuditVerdictSchema } },
      handle: async ({ query: { known } }) => {
        const link = known === undefined ? undefined : parseLink(known)
        if (known !== undefined && link === undefined)
          throw new ApiError('validation_failed', `"${known}" is not a number and a hash: 1234:8f3a...`)
        return { status: 200, body: await verifyAudit(store, link) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/audit/export',
      access,
      people: ['manager'],
      operationId: 'exportAudit',
      deed: 'audit.read',
      summary: 'All that fits, oldest first',
      tag,
      query: ChosenSchema,
      responses: { 200: { description: 'A line for each row.', contentType: 'application/x-ndjson', schema: AuditRowSchema } },
      handle: ({ query, signal }) => {
        const chosen = queryOf(query)
        return {
          status: 200,
          async stream(emit) {
            for await (const row of readAudit(store, chosen)) {
              if (signal.aborted) return
              await emit(row)
            }
          },
        }
      },
    }),
  ]
}
