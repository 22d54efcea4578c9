/**
 * What a telephone system asks of a line beyond a conversation with the box itself: calls that are joined, held, recorded on both
 * sides. The driver of SIP lines has it; all methods return at once, and on a leg that has ended they do nothing.
 */
import type { Clip, DialRequest, InboundCall, Leg, PlaySource } from './line.ts'

/** A leg's part in a bridge. */
export interface BridgePlace {
  /** It hears the others; default true. */
  readonly hears?: boolean
  /** The others hear it; default true. */
  readonly speaks?: boolean
  /** Keys that are for the box and not for the others, such as `*1`. What may become one is kept back for 2 s. */
  readonly codes?: readonly string[]
  readonly onCode?: (code: string) => void
}

/** Legs that hear each other, as many as join. Their keys pass to the others, and to their owners as events all the same. */
export interface LineBridge {
  /**
   * The leg is here from the next 20 ms on, and in no other bridge any more: it moves without a gap. Joining again changes its part.
   * False where the leg is over or of another driver.
   */
  join(leg: Leg, place?: BridgePlace): boolean
  leave(leg: Leg): void
}

/** A far end asks that the other party of its call talk to somebody else (REFER, RFC 3515). */
export interface TransferRequest {
  /** The number that is wanted. */
  readonly to: string
  /** Attended: the other call of whoever asks. Its far end is the one who is wanted. */
  readonly replaces: Leg | null
  /** Who asks, as it says itself; '' where it does not. */
  readonly referredBy: string
  /** Whoever asked hears this status (NOTIFY): 1xx how it goes on, then one final one, such as 200 or 603. */
  progress(sipCode: number): void
}

/** The call whose place an INVITE is to take (Replaces, RFC 3891): its dialog, tags as we see them. */
export interface ReplacedCall {
  /** The answered call of this driver that has this dialog. */
  readonly leg: Leg | null
  readonly callId: string
  /** Ours. */
  readonly toTag: string
  readonly fromTag: string
  /** Only while it rings. */
  readonly early: boolean
}

export interface PbxLeg {
  /** The clip is heard over and over instead of the bridge: music on hold, ringback. Prompts come before it; it stands still meanwhile. */
  loop(clip: Clip, offsetMs?: number): void
  stopLoop(): void
  /** A re-INVITE puts the far end on hold (sendonly, RFC 3264 section 8.4) or takes it back. It hears what we play to it. */
  hold(on: boolean): void
  /** As `play`, but over what the leg hears otherwise, which is 12 dB quieter meanwhile: a whisper to one side of a bridge. */
  playOver(playId: number, source: Exclude<PlaySource, { kind: 'silence' }>): void
  /** As `record`, in two channels: the leg on the left, what it hears from us on the right. The file can be read while it grows, as `file.part`. */
  recordBoth(recordId: number, options: { readonly file: string; readonly maxMs: number }): void
  /** Whether the far end may have its calls transferred; null, as at first: it is told 603, and the leg has `transfer-requested`. */
  onTransfer(asked: ((request: TransferRequest) => void) | null): void
  /**
   * Has the far end call `to`, or take our place in the call of another leg. `told`: each status that it sends, the last one with `final`;
   * 400 where it could not be asked. Nothing more is told of a leg that is over.
   */
  transfer(to: string | Leg, told: (sipCode: number, final: boolean) => void): void
}

export interface PbxLines {
  bridge(): LineBridge
  /** A phone calls to take another call's place; null: such calls are declined with 603. Must set `leg.onEvent` before it returns. */
  onReplacing: ((call: InboundCall, replaced: ReplacedCall) => void) | null
  /** Dials a call that takes the place of this leg's at its far end. */
  dialReplacing(request: DialRequest, leg: Leg): Leg & PbxLeg
}
