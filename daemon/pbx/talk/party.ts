/** The two sides of a conversation, seen alike: the party on the call's own leg, and the one the call was connected with. */
import type { Leg } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import type { FarLeg, Party } from '../../calls/far-leg.ts'
import type { Config } from '../../schema/config.ts'
import type { Side } from './hold-machine.ts'

export interface Participant {
  readonly leg: Leg | null
  readonly party: Party
  /** Whether it holds the other at this moment. */
  readonly holds: boolean
  /** Called whenever that changes; returns how to stop. */
  watch(told: (held: boolean) => void): () => void
}

export function participant(call: Call, far: FarLeg, side: Side, config: Config): Participant {
  return side === 'own' ? ownSide(call) : farSide(far, config)
}

function ownSide(call: Call): Participant {
  return {
    leg: call.leg,
    party: call.party,
    holds: call.holds,
    watch: (told) =>
      call.listen(({ type }) => {
        if (type === 'held' || type === 'resumed') told(type === 'held')
      }),
  }
}

function farSide(far: FarLeg, config: Config): Participant {
  return {
    leg: far.leg,
    party: partyOf(far, config),
    holds: far.holds,
    watch(told) {
      far.onHold = told
      return () => (far.onHold = () => undefined)
    },
  }
}

/** Whom a further leg belongs to. */
export function partyOf({ row: { to, trunkId } }: FarLeg, { extensions }: Pick<Config, 'extensions'>): Party {
  const extension = trunkId === '' ? to : ''
  return { number: to, name: extensions.find(({ number }) => number === extension)?.name ?? '', extension, trunkId }
}
