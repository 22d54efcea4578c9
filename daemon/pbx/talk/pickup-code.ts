/** The code by which a phone takes a call that rings at another. */
import type { Features } from '../../routing/desks.ts'
import type { Attendant } from '../codes/attendant.ts'
import type { Pickup } from './pickup.ts'

export interface PickupCodeOptions {
  readonly pickup: Pick<Pickup, 'take'>
  readonly attendant: Attendant
}

export function pickupCode({ pickup, attendant }: PickupCodeOptions) {
  return {
    pickup: async (call, extension, number) => {
      if (!(await pickup.take(call, extension, number)) && !call.over.aborted) await attendant.say(call, 'nothingRings')
      return null
    },
  } satisfies Partial<Features>
}
