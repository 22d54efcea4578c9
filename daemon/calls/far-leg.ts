/** Whom a call is connected with, whoever their leg belongs to. */
import type { Leg, LegEvent } from '../../drivers/line.ts'

export interface FarLeg {
  readonly leg: Leg | null
  /** The number that was called there, and through which trunk; '' for a phone of the house. */
  readonly row: { readonly to: string; readonly trunkId: string }
  /** Whether it has put the other side on hold. */
  readonly holds: boolean
  /** Told when it puts the other side on hold, and when it comes back. */
  onHold: (held: boolean) => void
  /** Aborted when it is over. */
  readonly over: AbortSignal
  readonly ended: Promise<unknown>
  /** The call and this leg hear each other; false where nothing can join them. */
  bridge(): boolean
  /** Hangs up. */
  release(): void
  /** A call has the leg as its own from now on: `owner` is told all that happens there. */
  handOver(owner: (event: LegEvent) => void): Leg
}
