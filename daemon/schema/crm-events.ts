/** What `GET /api/pbx/events` reports of calls as it happens (text/event-stream). */
import { Type } from '@sinclair/typebox'
import { ScreenPopSchema } from './crm.ts'
import { CallRecordSchema } from './history.ts'
import type { View } from './named.ts'

export const crmEventNames = ['call.ringing', 'call.card', 'call.answered', 'call.ended'] as const
export type CrmEventName = (typeof crmEventNames)[number]

/** `data` of each event but `stream.gap`, whose data is {}. */
export const CallEventDataSchema = Type.Object(
  {
    call: CallRecordSchema,
    extensions: Type.Array(Type.String(), { description: 'Phones of the house that ring, or that had a part in it.' }),
    card: Type.Optional({ ...ScreenPopSchema, description: 'Of call.ringing of a call that came in, and of call.card: who calls.' }),
  },
  {
    additionalProperties: false,
    description: `The data of an event of GET /api/pbx/events: ${crmEventNames.join(', ')}.`,
  },
)
export type CallEventData = View<typeof CallEventDataSchema>
