/** The section `parking` of the configuration. */
import { Type, type Static } from '@sinclair/typebox'
import { strict } from './forms.ts'

export const ParkingSchema = strict(
  {
    number: Type.String({ default: '700', pattern: '^\\d{2,6}$', description: 'A call transferred to this number is parked.' }),
    firstSlot: Type.Integer({
      default: 701,
      minimum: 10,
      maximum: 999_999,
      description: 'Number of the first slot.',
    }),
    slots: Type.Integer({ default: 20, minimum: 1, maximum: 100, description: 'How many calls can be parked at once.' }),
    timeoutSeconds: Type.Integer({
      default: 90,
      minimum: 10,
      maximum: 3600,
      description: 'After this time the call rings again at the phone that parked it.',
    }),
  },
  'Parking: a call waits with music until any phone takes it. Numbers of extensions and rules of inbound come first.',
)

export type ParkingConfig = Static<typeof ParkingSchema>

/** The numbers of the slots, in their order. */
export function slotsOf({ firstSlot, slots }: ParkingConfig): readonly string[] {
  return Array.from({ length: slots }, (_, index) => String(firstSlot + index))
}
