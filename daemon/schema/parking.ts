/** Who is parked, as pages show it. */
import { Type } from '@sinclair/typebox'
import type { ShownLists } from './shown-list.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema } from './voice-call.ts'

export const ParkedSlotSchema = named(
  'ParkingSlot',
  Type.Object({
    slot: Type.String({ description: 'What a phone dials to take the call.' }),
    call: Type.Union([
      Type.Object({
        callId: Type.String(),
        from: Type.String(),
        callerName: Type.String(),
        since: NullableTimeSchema,
        by: Type.String({ description: 'Extension that has parked it; "" for none.' }),
      }),
      Type.Null(),
    ]),
  }),
)
export type ParkedSlotView = View<typeof ParkedSlotSchema>

export const parkedExample: ParkedSlotView = {
  slot: '701',
  call: {
    ...{ callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8', from: '+15551234567', callerName: 'Ana Ruiz' },
    ...{ since: '2026-03-02T14:05:10.000Z', by: '102' },
  },
}

export const shownLists = { parking: { thing: ParkedSlotSchema, id: 'slot', example: parkedExample } } satisfies ShownLists
