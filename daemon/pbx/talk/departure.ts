/** One of two parties leaves the call, and the other one stays in it: the remaining party has the call's own leg from then on. */
import type { Leg } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import { hearOn } from '../../calls/hearing.ts'
import type { Party } from '../../calls/party.ts'
import type { FarLeg } from '../../calls/far-leg.ts'
import type { Side } from './hold-machine.ts'

/** Somebody who left, and whose leg may still be there. */
export interface Leaving {
  readonly leg: Leg | null
  /** Resolves when the line has reported its end. */
  readonly ended: Promise<unknown>
  hangUp(): void
}

/** Done at once, so that an end of the leg in the same moment is none of the call's. `party`: whom the further leg belongs to. */
export function depart(call: Call, far: FarLeg, side: Side, party: Party): Leaving {
  far.leg?.audio?.unbridge()
  call.leg?.audio?.unbridge()
  if (side === 'far') return { leg: far.leg, ended: far.ended, hangUp: () => far.release() }
  const { leg, ended } = call.adopt((told) => far.handOver(told), party, far.holds)
  hearOn(call)
  return { leg, ended, hangUp: () => leg.hangup() }
}
