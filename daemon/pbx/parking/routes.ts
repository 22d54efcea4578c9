/** Parks calls from a page, and shows who is parked. */
import { Type } from '@sinclair/typebox'
import { shownTo } from '../../http/mask.ts'
import { mustBeUnrestricted } from '../../http/reach.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { parkedExample, ParkedSlotSchema, type ParkedSlotView } from '../../schema/parking.ts'
import { roles } from '../../schema/people.ts'
import { begun, deeds, house, own, responses, type CallControlServices } from '../control/routes.ts'

export interface ParkingServices extends Pick<CallControlServices, 'record'> {
  /** `own`: the phone of the person who asks. Throws ApiError: call_unknown, call_ended, not_now. */
  readonly park: (callId: string, own: string | null) => void
  readonly slots: () => readonly ParkedSlotView[]
}

export function parkingRoutes({ park, record, slots }: ParkingServices): Route[] {
  return [
    defineRoute({
      ...deeds,
      method: 'POST',
      path: '/api/pbx/calls/:callId/park',
      operationId: 'parkCall',
      deed: 'call.park',
      summary: 'Park a call in a free slot',
      description: 'The phone of the house leaves; any phone takes the call by dialling the slot.',
      responses,
      handle: (context) => {
        mustBeUnrestricted(context.token, house)
        park(context.params.callId, own(context))
        return begun(context, record, context.params.callId)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/parking',
      access: 'crm',
      people: roles,
      operationId: 'listParking',
      deed: 'call.list',
      polled: true,
      summary: 'The parking slots, and who waits in each',
      tag: 'Calls',
      responses: { 200: { description: 'In their order.', schema: Type.Array(ParkedSlotSchema), example: [parkedExample] } },
      handle: ({ token, deed }) => {
        mustBeUnrestricted(token, house)
        const all = slots()
        deed.about('', all.filter(({ call }) => call !== null).length)
        return { status: 200, body: shownTo(token, all) }
      },
    }),
  ]
}
