/** The party a call is connected with, whichever code owns its leg. */
import type { Leg, LegEvent } from '../../drivers/line.ts'

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
