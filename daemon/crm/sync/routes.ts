/** Customers of the CRM: that it sends, as they change or all of them, or that it is asked for. */
import { Type } from '@sinclair/typebox'
import type { Customers } from './customers.ts'
import type { Sync } from './sync.ts'
import type { WholeList } from './whole-list.ts'
import { ApiError } from '../../base/errors.ts'
import type { CrmParty } from '../../schema/crm-answers.ts'
import { ofContract } from './page.ts'
import {
  CustomerAnswerSchema,
  CustomerPageAnswerSchema,
  CustomerPageSchema,
  CustomerSchema,
  ListBegunSchema,
} from '../../schema/crm-sync.ts'
import type { Store } from '../../store/store.ts'
import { mustBeUnrestricted } from '../../http/reach.ts'
import { defineRoute, type Route } from '../../http/route.ts'

export interface CustomerSyncServices {
  readonly store: Pick<Store, 'tables' | 'transaction'>
  readonly customers: Customers
  readonly list: WholeList
  readonly sync: Sync
}

const tag = 'CRM'
const whose = 'the customers of the house'
/** 500 customers. */
const pageLimit = 4 * 1024 * 1024

export function customerSyncRoutes({ store, customers, list, sync }: CustomerSyncServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/pbx/sync/full',
      access: 'crm',
      people: ['technician'],
      operationId: 'syncCustomers',
      deed: 'party.sync',
      summary: 'Read all customers from the CRM, or send them page by page',
      description:
        'Without customers the box reads them all: 202. With them it is a page of at most 500; one that comes again changes nothing. When the last page has come (last: true), parties of the CRM that were on none of the pages are removed, unless the list has less than half of those that were known. 409 sync_running while another list is under way, 409 integration_disabled where there is no CRM to ask.',
      tag,
      body: CustomerPageSchema,
      bodyType: 'json-or-nothing',
      limitBytes: pageLimit,
      idempotent: true,
      responses: {
        200: {
          description: 'What became of this page.',
          schema: CustomerPageAnswerSchema,
          example: { syncId: 'night-2026-03-02', created: 0, updated: 1, unchanged: 0, deleted: 0, conflicts: 0 },
        },
        202: {
          description: 'The customers are being read.',
          schema: ListBegunSchema,
          example: { syncId: '01JNC5S0000000000000000001', state: 'running' },
        },
      },
      handle: async ({ body: { customers: given, syncId, cursor = null, last }, token, deed }) => {
        mustBeUnrestricted(token, whose)
        if (given === undefined) {
          const begun = await sync.full()
          deed.about(begun)
          return { status: 202, body: { syncId: begun, state: 'running' } }
        }
        if (syncId === undefined) throw lacks('/syncId')
        if (last === undefined) throw lacks('/last')
        const {
          shrunk,
          fresh: _,
          conflicting: __,
          notes,
          noteCount,
          ...counts
        } = await list.take({ syncId, from: 'crm', customers: given.map(ofContract), cursor, last })
        deed.about(syncId, counts.created + counts.updated + counts.deleted)
        const warnings = [
          ...(shrunk ? [suspicious] : []),
          ...notes,
          ...(noteCount > notes.length ? [`and ${noteCount - notes.length} more`] : []),
        ]
        return { status: 200, body: { syncId, ...counts, ...(warnings.length === 0 ? {} : { warnings }) } }
      },
    }),
    ...oneCustomerRoutes({ store, customers, list, sync }),
  ]
}

function oneCustomerRoutes({ store, customers, list, sync }: CustomerSyncServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/pbx/customers/:id/sync',
      access: 'crm',
      operationId: 'syncCustomer',
      deed: 'party.sync',
      summary: 'Read one customer from the CRM, or send one',
      description:
        'Without a body the CRM is asked, and what it answers is so. Of what is sent the later updatedAt wins. With deleted: true the party is removed; mergedInto names who has its calls from now on.',
      tag,
      params: Type.Object({ id: Type.String({ maxLength: 128, pattern: '^[ -.0-~]+$' }) }),
      body: CustomerSchema,
      bodyType: 'json-or-nothing',
      idempotent: true,
      responses: {
        200: {
          description: 'What became of it.',
          schema: CustomerAnswerSchema,
          example: { id: 'c_8812', result: 'updated', version: '78' },
        },
      },
      handle: async ({ params: { id }, body, token, deed }) => {
        mustBeUnrestricted(token, whose)
        const customer = sent(id, body)
        if (customer === null) return { status: 200, body: { id, ...(await sync.one(id, () => deed.record(id))) } }
        return store.transaction(() => {
          const warnings: string[] = []
          const result = customers.take(customer, { note: (path, words) => void warnings.push(`${path}: ${words}`) })
          list.mark(id)
          deed.record(id)
          const { version } = store.tables.parties.get(id) ?? store.tables.partiesGone.get(id) ?? customer
          return { status: 200, body: { id, result, version, ...(warnings.length === 0 ? {} : { warnings }) } }
        })
      },
    }),
  ]
}

const suspicious = 'suspicious shrink: less than half of the known customers came, so that none was removed'
const needed = ['id', 'name', 'version', 'updatedAt'] as const

/** null: nothing was sent. Throws ApiError `validation_failed`. */
function sent(id: string, body: Partial<CrmParty>): CrmParty | null {
  const missing = needed.filter((name) => body[name] === undefined)
  if (missing.length === needed.length) return null
  if (missing[0] !== undefined) throw lacks(`/${missing[0]}`)
  const customer = ofContract(body as CrmParty)
  if (customer.id === id) return customer
  const details = [{ path: '/id', message: 'must be that of the path' }]
  throw new ApiError('validation_failed', `The path names ${id}, and the body ${body.id}.`, { details })
}

function lacks(path: string): ApiError {
  return new ApiError('validation_failed', `"${path.slice(1)}" is required.`, { details: [{ path, message: 'is required' }] })
}
