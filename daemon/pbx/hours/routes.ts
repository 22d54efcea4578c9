/** The hours of the house. */
import { Type } from '@sinclair/typebox'
import { HoursChangeSchema, HoursStateSchema, type HoursChange, type HoursView } from '../../schema/extensions.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { roles } from '../../schema/people.ts'

export interface HoursServices {
  list(): readonly HoursView[]
  /** `record` runs in the transaction. Throws ApiError: not_found, validation_failed. */
  change(id: string, change: HoursChange, record: () => void): Promise<HoursView>
}

const access = 'technician'
const tag = 'Hours'

export function hoursRoutes(hours: HoursServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/hours',
      access,
      people: roles,
      operationId: 'listHours',
      summary: 'What is open now, and until when',
      tag,
      responses: { 200: { description: 'In the order of the configuration.', schema: Type.Array(HoursStateSchema) } },
      handle: () => ({ status: 200, body: hours.list() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/hours/:id',
      access,
      people: roles,
      operationId: 'setHours',
      deed: 'hours.set',
      summary: 'Open or close by hand, or let the calendar decide again',
      tag,
      params: Type.Object({ id: Type.String() }),
      body: HoursChangeSchema,
      responses: { 200: { description: 'As it is now.', schema: HoursStateSchema } },
      handle: async ({ params: { id }, body, deed }) => ({ status: 200, body: await hours.change(id, body, () => deed.record(id)) }),
    }),
  ]
}
