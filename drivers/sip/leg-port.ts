/** What a leg of the engine needs of others: of its driver, and of a bridge that it is in. */
import type { LineBridge } from '../pbx.ts'
import type { ClipStore } from './clips.ts'
import type { SipLeg } from './legs.ts'
import type { Spool } from './spool.ts'

/** What a leg needs of its driver. */
export interface LegPort {
  send(frame: Buffer): void
  readonly clips: ClipStore
  readonly spool: Spool
  /** A new one, or that one where it is given. */
  bridge(number?: number): LineBridge
  /** A leg that has not ended. */
  leg(number: number): SipLeg | null
  /** The leg has ended: forget its number. */
  ended(leg: SipLeg): void
  /** The owner of the leg threw while it handled an event. */
  fault(leg: SipLeg, error: unknown): void
}

/** A bridge that this leg is in. */
export interface JoinedBridge extends LineBridge {
  forget(leg: SipLeg): void
  pressed(leg: SipLeg, digit: string, audible: boolean): void
}
