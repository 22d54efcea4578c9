/** What a person does with a call of the house from a page: take, move, park and end it. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'
import { NullableTimeSchema } from './voice-call.ts'

export const TakeCallSchema = named(
  'TakeCallRequest',
  Type.Object(
    {
      extension: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 16,
          description: 'Whose phone rings, and then has the call. By default the own one of the person.',
        }),
      ),
    },
    { additionalProperties: false, examples: [{ extension: '101' }] },
  ),
)

export const MoveCallSchema = named(
  'MoveCallRequest',
  Type.Object(
    {
      to: Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'An extension or a number, as the phone that leaves would dial it, or a destination: voicemail:EXT, queue:ID, group:ID, menu:ID, hours:ID.',
      }),
    },
    { additionalProperties: false, examples: [{ to: '103' }] },
  ),
)

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
