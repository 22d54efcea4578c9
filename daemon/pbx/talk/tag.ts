/** What the engine keeps with each leg of a talk, so that the next run of the daemon knows whose it is. */
import { pbxLeg } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import { LentLeg } from '../../calls/lent-leg.ts'
import type { Party } from '../../calls/far-leg.ts'
import type { Partner } from '../../routing/connect.ts'
import type { Side } from './hold-machine.ts'
import type { Participant } from './party.ts'

export interface TalkTag {
  /** The call whose conversation it is, or that is connected to the box alone. */
  readonly call: string
  readonly side: Side
  readonly party: Party
  readonly name: string
  readonly activity: Partner['activity']
  /** The further call whose own leg it is; '' for a leg of the call itself. */
  readonly lender: string
}

/** Of the engine's protocol, in bytes. */
const longest = 1000
/** What of a name is shown on any phone. */
const longestName = 40

/** '' where it is too long to be kept. */
export function writeTag({ party, ...tag }: TalkTag): string {
  const text = JSON.stringify({ ...tag, party: { ...party, name: [...party.name].slice(0, longestName).join('') } })
  return Buffer.byteLength(text) <= longest ? text : ''
}

/** Those who talk, or are about to, outlive this program. */
export function keepSide(
  call: Call,
  { name, activity, leg: far }: Partner,
  side: Side,
  { leg, party }: Pick<Participant, 'leg' | 'party'>,
): void {
  const lender = side === 'far' && far instanceof LentLeg ? far.lender.id : ''
  pbxLeg(leg)?.keep(writeTag({ call: call.id, side, party, name, activity, lender }))
}

/** A caller who is connected to the box alone outlives this program, too. The call must be answered; others end with it. */
export function keepAlone(call: Call): void {
  const { id, party, row } = call
  const tag = { call: id, side: 'own', party, name: '', activity: 'routed', lender: '' } as const
  pbxLeg(call.leg)?.keep(row.direction === 'inbound' ? writeTag(tag) : '')
}

/** null: it is none of ours. */
export function readTag(text: string): TalkTag | null {
  try {
    const tag = JSON.parse(text) as Partial<TalkTag> | null
    return typeof tag?.call === 'string' && (tag.side === 'own' || tag.side === 'far') && typeof tag.party === 'object'
      ? (tag as TalkTag)
      : null
  } catch {
    return null
  }
}
