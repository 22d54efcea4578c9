/** Names that people of the house gave customers of the CRM, and that the CRM has not answered yet. */
import { Type } from '@sinclair/typebox'
import { isoTime } from '../base/clock.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { ProposalSchema, type ProposalView } from '../schema/crm-sync.ts'
import type { Store } from '../store/store.ts'
import type { Directory } from './directory.ts'

const example: ProposalView = { customerId: 'C-1001', name: 'A. Ruiz', proposed: 'Ana Ruiz', at: '2026-03-02T14:05:10.000Z' }

export function proposalRoutes(store: Pick<Store, 'tables'>, directory: Pick<Directory, 'get'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/crm/names',
      access: 'technician',
      people: ['desk', 'manager'],
      operationId: 'listProposedNames',
      deed: 'party.proposals',
      polled: true,
      summary: 'Names that are proposed to the CRM, until it has answered',
      tag: 'CRM',
      responses: { 200: { description: 'The oldest first.', schema: Type.Array(ProposalSchema), example: [example] } },
      handle: ({ deed }) => {
        const rows = [...store.tables.partyProposals.range()].toSorted((a, b) => a.value.at - b.value.at)
        deed.about('', rows.length)
        const shown = rows.map(({ key, value }): ProposalView => {
          return { customerId: key, name: directory.get(key)?.name ?? '', proposed: value.name, at: isoTime(value.at) }
        })
        return { status: 200, body: shown }
      },
    }),
  ]
}
