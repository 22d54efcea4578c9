/** The directory as people look through it: who is found, and names that are proposed to the CRM until it has answered. */
import { Type } from '@sinclair/typebox'
import { isoTime } from '../base/clock.ts'
import { finds } from '../schema/history.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { PartyListSchema, ProposalSchema, type PartyListView, type ProposalView } from '../schema/crm.ts'
import type { Store } from '../store/store.ts'
import type { Directory } from './directory.ts'
import { partyView } from './lookup.ts'

const example: ProposalView = { customerId: 'C-1001', name: 'A. Ruiz', proposed: 'Ana Ruiz', at: '2026-03-02T14:05:10.000Z' }

const found: PartyListView = {
  items: [
    {
      ...{ id: 'c_8812', kind: 'person', name: 'Ana Ruiz', status: 'active' },
      phones: [{ number: '+15551234567', label: 'mobile', primary: true }],
      ...{ version: '77', updatedAt: '2026-03-01T22:00:00.000Z', source: 'import' },
    },
  ],
  ...{ more: false, total: 10_482 },
}

export function directoryRoutes(store: Pick<Store, 'tables'>, directory: Pick<Directory, 'get' | 'find' | 'count'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/crm/parties',
      access: 'crm',
      people: ['desk', 'manager'],
      operationId: 'findParties',
      deed: 'party.list',
      gathered: true,
      summary: 'Find parties of the directory',
      description:
        'By a part of the name or the company; three digits and more are any part of a number. Without q nobody, and how many there are.',
      tag: 'CRM',
      query: Type.Object({
        q: Type.Optional(Type.String({ maxLength: 100 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      }),
      responses: { 200: { description: 'Who fits.', schema: PartyListSchema, example: found } },
      handle: async ({ query: { q = '', limit = 50 }, token, signal, deed }) => {
        mustBeUnrestricted(token, 'the people who call the house')
        const hits = q.trim() === '' ? [] : await directory.find(finds(q), { most: limit, signal })
        const shown = hits.slice(0, limit).toSorted((a, b) => a.name.localeCompare(b.name))
        deed.about(shown.map(({ id }) => id).join(' '), shown.length)
        const body: PartyListView = { items: shown.map(partyView), more: hits.length > limit, total: directory.count() }
        return { status: 200, body }
      },
    }),
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
