/** The section `parking` of the configuration. */
import { Type, type Static } from '@sinclair/typebox'
import type { HouseNumbers } from '../house-numbers.ts'
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

/** The numbers of the slots, in their order. The number that parks calls is none: nobody could take a call from it. */
export function slotsOf({ number, firstSlot, slots }: ParkingConfig): readonly string[] {
  return Array.from({ length: slots }, (_, index) => String(firstSlot + index)).filter((slot) => slot !== number)
}

/** `park` parks the call, in the slot of that number or in the first free one; `parked` talks with who is parked there. */
export const houseNumbers = {
  park: ({ parking }) => [parking.number],
  parked: ({ parking }) => slotsOf(parking),
} satisfies HouseNumbers
