/** The events of calls, for whoever shows them at once: a stream that a browser or a desktop program reads. */
import { Type } from '@sinclair/typebox'
import type { CallEvents } from './call-events.ts'
import { CallEventDataSchema } from '../schema/crm-events.ts'
import { named } from '../schema/named.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'

export function callEventRoutes(events: CallEvents): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/pbx/events',
      access: 'crm',
      operationId: 'streamCallEvents',
      deed: 'call.list',
      polled: true,
      summary: 'What happens to calls, as it happens',
      description:
        'text/event-stream. call.ringing when phones of the house ring, with the card (ScreenPop) of who calls; call.card where the CRM took longer than a second for it; call.answered; call.ended. The data of each is CallEventData, among the components. Last-Event-ID goes on after that event where it was at most five minutes ago; stream.gap says that events are missing: read calls/active and calls/history. A line every 15 s keeps the connection.',
      tag: 'CRM',
      query: Type.Object({
        extension: Type.Optional(Type.String({ maxLength: 16, description: 'Events that concern this phone alone.' })),
      }),
      responses: {
        200: {
          description: 'Events, until either side closes.',
          contentType: 'text/event-stream',
          schema: Type.String({ contentMediaType: 'application/json', contentSchema: named('CallEventData', CallEventDataSchema) }),
          example:
            'event: call.ended\ndata: {"call":{"callId":"CA019a5b3c4d5e7f808192a3b4c5d6e7f8","state":"ended"},"extensions":["101"]}\nid: 1772460311007\n\n',
        },
      },
      handle: ({ query: { extension }, headers, token, signal }) => {
        mustBeUnrestricted(token, 'calls of the whole house')
        const release = events.admit(token?.name ?? '')
        const given = headers.get('last-event-id')
        // An id that was never handed out: what it would go on after is not known.
        const lastId = given === undefined ? undefined : /^\d{1,15}$/.test(given) ? Number(given) : 0
        const reading = { signal, ...(lastId === undefined ? {} : { lastId }), ...(extension === undefined ? {} : { extension }) }
        return { status: 200, events: (push) => events.read(reading, push), release }
      },
    }),
  ]
}
