/** The party a call is connected with, whichever code owns its leg. */
import type { Leg, LegEvent } from '../../drivers/line.ts'
import type { CallRow } from '../store/tables.ts'

// The parties on the legs of a call.

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

export interface FarLeg {
  readonly leg: Leg | null
  /** The number that was called there, and through which trunk; '' for a phone of the house. */
  readonly row: { readonly to: string; readonly trunkId: string }
  /** Whether it has put the other side on hold. */
  readonly holds: boolean
  /** Called when it puts the other side on hold, and when it comes back. */
  onHold: (held: boolean) => void
  /** Aborted when it has ended. */
  readonly over: AbortSignal
  readonly ended: Promise<unknown>
  /** The call and this leg hear each other; false where nothing can join them. */
  bridge(): boolean
  /** Hangs up. */
  release(): void
  /** The call takes the leg as its own from now on: `owner` receives every event of it. */
  handOver(owner: (event: LegEvent) => void): Leg
}
