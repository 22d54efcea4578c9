/** The hours of the house. */
import { Type } from '@sinclair/typebox'
import {
  HoursChangeSchema,
  HoursStateSchema,
  OpeningTimesChangeSchema,
  OpeningTimesStateSchema,
  type HoursChange,
  type HoursView,
  type OpeningTimesChange,
  type OpeningTimesView,
} from '../../schema/extensions.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { roles } from '../../schema/people.ts'

export interface HoursServices {
  list(): readonly HoursView[]
  /** `record` runs in the transaction. Throws ApiError: not_found, validation_failed. */
  change(id: string, change: HoursChange, record: () => void): Promise<HoursView>
  /** Throws ApiError not_found. */
  times(id: string): OpeningTimesView
  /** Throws ApiError: not_found, validation_failed, changed_meanwhile, and what a change of the configuration throws. */
  setTimes(id: string, change: OpeningTimesChange, by: string): Promise<OpeningTimesView>
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
    ...timesRoutes(hours),
  ]
}

/** The calendar itself, which stands in the configuration. */
function timesRoutes(hours: HoursServices): Route[] {
  const calendars = ['manager', 'technician'] as const
  const params = Type.Object({ id: Type.String() })
  return [
    defineRoute({
      method: 'GET',
      path: '/api/hours/:id/times',
      access,
      people: calendars,
      operationId: 'getOpeningTimes',
      summary: 'The opening times of the week, holidays, and days with other times',
      tag,
      params,
      responses: { 200: { description: 'As they are in use.', schema: OpeningTimesStateSchema } },
      handle: ({ params: { id } }) => ({ status: 200, body: hours.times(id) }),
    }),
    defineRoute({
      method: 'PUT',
      path: '/api/hours/:id/times',
      access,
      people: calendars,
      operationId: 'setOpeningTimes',
      deed: 'hours.times',
      summary: 'Change opening times and holidays',
      description:
        'They are written into the configuration, whose comments stay, and are in use when the answer comes; no call is touched. A revision is kept.',
      tag,
      params,
      body: OpeningTimesChangeSchema,
      responses: {
        200: { description: 'As they are now.', schema: OpeningTimesStateSchema },
        409: {
          description:
            '`changed_meanwhile`, with the times as they are now in `current`; `config_unapplied`; `config_change_running`; `config_taken_back`.',
        },
      },
      handle: async ({ params: { id }, body, deed }) => {
        deed.about(id)
        return { status: 200, body: await hours.setTimes(id, body, deed.actor) }
      },
    }),
  ]
}
