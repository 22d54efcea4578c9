/** The parties on the legs of a call. */
import type { Leg } from '../../drivers/line.ts'
import type { CallRow } from '../store/tables.ts'

/** The party on a leg of a call: what others are shown of it, and what it may do. */
export interface Party {
  readonly number: string
  readonly name: string
  /** Of the phone; '' for somebody outside. */
  readonly extension: string
  /** '' for a phone of the house. */
  readonly trunkId: string
}

/** Of the leg with which the call began. */
export function partyOfRow({ from, to, callerName, extension, trunkId, direction, agentFirst }: CallRow): Party {
  const calls = direction === 'inbound' || agentFirst === true
  return { number: calls ? from : to, name: calls ? callerName : '', extension, trunkId }
}

/** Somebody who was in the call, and whose leg goes on by itself until it is hung up. */
export interface Departed {
  readonly leg: Leg
  /** Resolves when the line has reported its end. */
  readonly ended: Promise<void>
}
