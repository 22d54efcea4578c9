/** The desk and the search of the house over HTTP. */
import { Type } from '@sinclair/typebox'
import { callShownTo, seesMasked, shownTo } from '../http/mask.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { listsShown } from '../schema/shown-lists.ts'
import { deskExample, DeskSchema, searchExample, SearchSchema } from '../schema/desk.ts'
import { roles } from '../schema/people.ts'
import { isShown } from '../work/routes.ts'
import type { Desk } from './desk.ts'
import type { Search } from './search.ts'

export interface DeskServices {
  readonly desk: Desk
  readonly search: Search
}

const access = 'crm'
const tag = 'Work'
const house = 'calls of the whole house'

export function deskRoutes({ desk, search }: DeskServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/desk',
      access,
      people: roles,
      operationId: 'getDesk',
      deed: 'desk.read',
      polled: true,
      summary: 'All that the page of the desk shows at first',
      description: `Calls, queues, ${Object.keys(listsShown).join(', ')}, open work, reminders of the next day and the state of the box, at one moment. The live stream goes on from its X-Live-Id. A technician gets states and masked numbers.`,
      tag,
      responses: { 200: { description: 'The desk.', schema: DeskSchema, example: deskExample } },
      handle: ({ token }) => {
        mustBeUnrestricted(token, house)
        const view = desk.view((row) => isShown(token, row))
        // How the box is says nothing of patients.
        return { status: 200, body: { ...shownTo(token, view), box: view.box } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/search',
      access,
      people: roles,
      operationId: 'searchHouse',
      deed: 'search.read',
      gathered: true,
      summary: 'Find people, colleagues, calls and work by name, number or extension',
      description: 'At most five of each kind. Three digits and more are any part of a number. A technician finds colleagues alone.',
      tag,
      query: Type.Object({ q: Type.String({ minLength: 1, maxLength: 100 }) }),
      responses: { 200: { description: 'What was found.', schema: SearchSchema, example: searchExample } },
      handle: async ({ query: { q }, token, signal, deed }) => {
        mustBeUnrestricted(token, house)
        const found = await search.find(q, (row) => isShown(token, row), signal)
        const calls = found.calls.map((call) => callShownTo(token, call))
        const shown = seesMasked(token) ? { ...found, parties: [], calls: [], items: [] } : { ...found, calls }
        const count = shown.parties.length + shown.calls.length + shown.items.length
        deed.about(shown.parties.map(({ id }) => id).join(' '), count)
        return { status: 200, body: shown }
      },
    }),
  ]
}
