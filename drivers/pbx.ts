/**
 * What a telephone system asks of a line beyond a conversation with the box itself: calls that are joined, held, recorded on both
 * sides. The driver of SIP lines has it; all methods return at once, and on a leg that has ended they do nothing.
 */
import type { Clip, DialRequest, InboundCall, Leg, PlaySource, LegAudio } from './line.ts'

// How legs of two drivers hear each other: one of them lends itself, frame for frame, to the other.

/** A leg that is joined, as its partner has it. All do nothing once it has left. */
export interface Patch {
  /** 20 ms of 8 kHz: heard by this leg. */
  say(samples: Int16Array): void
  leave(): void
}

export interface PatchPartner {
  /** With the leg in hand; null when it has left by itself. */
  joined(patch: Patch | null): void
  /** 20 ms of what the leg says. */
  hear(samples: Int16Array): void
  /** A key of the leg that is not among what it says. */
  press(key: string): void
}

export interface PatchableAudio extends LegAudio {
  /** False where the leg has ended, or is joined elsewhere. */
  patch(partner: PatchPartner): boolean
}

export function isPatchable(audio: LegAudio): audio is PatchableAudio {
  return 'patch' in audio
}

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
   * The leg is here from the next 20 ms on, and in no other bridge any more: it moves without a gap. Joining again changes its part. False
   * where the leg has ended or belongs to another driver.
   */
  join(leg: Leg, place?: BridgePlace): boolean
  leave(leg: Leg): void
}

/** A far end asks that the other party of its call talk to somebody else (REFER, RFC 3515). */
export interface TransferRequest {
  /** The number that is wanted. */
  readonly to: string
  /** Attended: the other call of the party that asks. The transfer goes to the far end of that call. */
  readonly replaces: Leg | null
  /** The party that asks, as it names itself; '' where it does not. */
  readonly referredBy: string
  /** The party that asked receives this status (NOTIFY): 1xx how it goes on, then one final one, such as 200 or 603. */
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

/** How a recording of both ended. The file is complete and synced under its final name, unless it failed. */
export interface BothRecorded {
  readonly durationMs: number
  readonly reason: 'stopped' | 'max-length' | 'ended' | 'failed'
}

export interface PbxLeg {
  /** The clip is heard over and over instead of the bridge: music on hold, ringback. Prompts come before it; it stands still meanwhile. */
  loop(clip: Clip, offsetMs?: number): void
  stopLoop(): void
  /** A re-INVITE puts the far end on hold (sendonly, RFC 3264 section 8.4) or takes it back. It hears what we play to it. */
  hold(on: boolean): void
  /** The far end talks with somebody else by now; a phone shows it. */
  connected(party: { readonly number: string; readonly name: string }): void
  /** As `play`, but over what the leg hears otherwise, which is 12 dB quieter meanwhile: a whisper to one side of a bridge. */
  playOver(playId: number, source: Exclude<PlaySource, { kind: 'silence' }>): void
  /**
   * As `record`, in two channels: the leg on the left, what it hears from us on the right. The file can be read while it grows, as
   * `file.part`. `done` is called at its end, once, whichever code owns the leg then: there is no event `recorded`.
   */
  recordBoth(recordId: number, options: { readonly file: string; readonly maxMs: number }, done: (recorded: BothRecorded) => void): void
  /** A recording that was begun by `recordBoth` in an earlier run of this program goes on: `done` is called at its end. */
  onRecorded(recordId: number, done: (recorded: BothRecorded) => void): void
  /** In the bridge that it is in: keys that are for the box, see `BridgePlace`; none: all are for the others. */
  watchCodes(codes: readonly string[], onCode: (code: string) => void): void
  /** Whether the far end may have its calls transferred; null, as at first: it is answered 603, and the leg has `transfer-requested`. */
  onTransfer(asked: ((request: TransferRequest) => void) | null): void
  /**
   * Has the far end call `to`, or take our place in the call of another leg. The callback receives each status that it sends, the last one
   * with `final`; 400 where it could not be asked. It is not called for a leg that has ended.
   */
  transfer(to: string | Leg, told: (sipCode: number, final: boolean) => void): void
  /**
   * The call, once answered, outlives the end of this program with its bridge, and the next run is given it with this tag (at most 1000
   * bytes). '', as at first: it ends with this program.
   */
  keep(tag: string): void
  /** Whether it does. */
  readonly isKept: boolean
}

/** An answered call that has outlived the daemon. */
export interface StandingLeg {
  readonly leg: Leg & PbxLeg
  /** As it was given to `keep`. */
  readonly tag: string
  /** Whether its far end has put us on hold. */
  readonly held: boolean
  /** Since its answer. */
  readonly answeredMs: number
  /** Recordings that were begun on it. */
  readonly records: readonly { readonly recordId: number; readonly file: string }[]
}

/** The same leg where its driver has all of that; null for one of another driver. */
export function pbxLeg<L extends Leg>(leg: L | null): (L & PbxLeg) | null {
  return leg !== null && 'onTransfer' in leg ? (leg as L & PbxLeg) : null
}

/** A call that a lamp shows, as the one who is watched has it (RFC 4235 section 4.1). */
export interface WatchedDialog {
  /** The same from its beginning to its end. */
  readonly id: string
  readonly state: 'trying' | 'proceeding' | 'early' | 'confirmed' | 'terminated'
  readonly direction: 'initiator' | 'recipient'
  /** What a phone names in Replaces that takes the call: any that the box knows again. */
  readonly callId?: string
  readonly localTag?: string
  readonly remoteTag?: string
  /** The other party. */
  readonly remote?: { readonly name: string; readonly uri: string }
}

/** Messages of a box (RFC 3842): of both, those that were heard are `old`. */
export interface MessageCounts {
  readonly fresh: number
  readonly old: number
  readonly urgentFresh?: number
  readonly urgentOld?: number
}

/** RFC 6665 section 4.1.3: after `deactivated` the phone subscribes again at once, after `rejected` never. */
export type LampEnd = 'rejected' | 'deactivated' | 'noresource' | 'giveup'

/** A subscription of a phone (RFC 6665). */
export interface Lamp {
  /** Whose phone it is: it has proved it. */
  readonly extension: string
  /** What it watches: an extension, a parking slot, ... */
  readonly watches: string
  readonly kind: 'dialog' | 'message-summary'
  /** All calls of what is watched, also when there are none. For lamps of kind `dialog`. */
  showDialogs(dialogs: readonly WatchedDialog[]): void
  /** For lamps of kind `message-summary`: what waits in that mailbox. */
  showMessages(mailbox: string, counts: MessageCounts): void
  /** Nobody knows what there is to see. A phone that was shown something forgets it: it subscribes again, and waits. */
  showUnknown(): void
  end(reason: LampEnd): void
}

export interface LampOwner {
  /** The phone subscribed again: it wants the whole state within 5 s. */
  refreshed(): void
  ended(): void
}

export interface PbxLamps {
  /** `serve` must show the state within 5 s, or end it. Without one every subscription is rejected. Throws where there is one already. */
  onLamp(serve: (lamp: Lamp) => LampOwner): void
  /** Sends the counts to all phones of an extension, whether they watch or not (RFC 3842 section 3.5). */
  tellMessages(extension: string, counts: MessageCounts): void
}

export interface PbxLines {
  readonly lamps: PbxLamps
  bridge(): LineBridge
  /**
   * `take` is given the calls that have outlived the last run of this program, at once or as soon as they are known, and returns the legs
   * that it has taken, each with its `onEvent`; the others are ended. What happened to them meanwhile is reported afterwards.
   */
  onStanding(take: (legs: readonly StandingLeg[]) => readonly Leg[]): void
  /**
   * `take` is given each call by which a phone wants to take another call's place, and must set `leg.onEvent` before it returns. Without one
   * such calls are declined with 603. Throws where there is one already.
   */
  onReplacing(take: (call: InboundCall, replaced: ReplacedCall) => void): void
  /** Dials a call that takes the place of this leg's at its far end. */
  dialReplacing(request: DialRequest, leg: Leg): Leg & PbxLeg
}
