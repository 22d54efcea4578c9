/**
 * The contract between the daemon and whatever carries a voice call: SIP through pbx-engine (`drivers/sip`), the
 * simulated line (`drivers/sim`), a voice modem (`drivers/modem/voice`). The daemon knows these names only; a driver imports nothing of
 * the daemon. Audio at this seam is 8 kHz mono signed 16-bit PCM where nothing else is said. All methods return at once; what became of them
 * arrives as an event. Methods called on a leg that has ended do nothing.
 */

/** A prompt in memory. `key` names the samples for ever (a hash): a driver may keep a copy under it. */
export interface Clip {
  readonly key: string
  readonly samples: Int16Array
  /** What is being said, for the simulator and the trace. */
  readonly text?: string
}

export type PlaySource =
  | { readonly kind: 'clip'; readonly clip: Clip; readonly offsetMs?: number }
  | { readonly kind: 'silence'; readonly ms: number }
  | { readonly kind: 'tone'; readonly hz: readonly number[]; readonly ms: number; readonly dbm0?: number }
  /** Audio of a moment, which nobody plays again; never changed afterwards. Less than a frame joins what follows it in the queue. */
  | { readonly kind: 'samples'; readonly samples: Int16Array; readonly rate?: 16000 }

export type DigitMethod = 'rfc4733' | 'inband' | 'info'

/** Why a leg has ended, in the words of Q.850 and RFC 3261. */
export interface LegEnd {
  /** Who ended it: the far end, this daemon, or neither (engine lost, no RTP, no answer in time). */
  readonly by: 'remote' | 'local' | 'system'
  readonly reason: 'hangup' | 'canceled' | 'rejected' | 'no-answer' | 'media-timeout' | 'unreachable' | 'driver-lost' | 'failed'
  /** Final SIP status, 200 for a normal end after answer, 0 where none was seen. */
  readonly sipCode: number
  /** Q.850 cause value, such as 16 (normal clearing) or 41 (temporary failure). */
  readonly cause: number
  readonly text: string
  /** The number that the phone has its calls go to (a 3xx of it). */
  readonly redirectedTo?: string
}

export type LegEvent =
  /** `earlyMedia`: what the far end sends already is to be heard. Reported again when that begins. */
  | { readonly type: 'ringing'; readonly sipCode: number; readonly earlyMedia: boolean }
  /** The first audio of the far end has come, before the answer or after it. Of drivers that have early media. */
  | { readonly type: 'heard' }
  /** Outbound: the callee answered. Inbound: our answer is complete (ACK seen), media may flow both ways. */
  | { readonly type: 'answered'; readonly codec: string; readonly secure: boolean }
  /** One key, reported once: by `rfc4733` when it is pressed, and `durationMs` is 0; in the audio when it was heard to its end. */
  | { readonly type: 'digit'; readonly digit: string; readonly method: DigitMethod; readonly durationMs: number }
  /** One play item left the queue; `completed` false when it was cleared. `playedMs` counts from the start of the clip. */
  | { readonly type: 'played'; readonly playId: number; readonly completed: boolean; readonly playedMs: number }
  /** The file is complete and synced under its final name. */
  | {
      readonly type: 'recorded'
      readonly recordId: number
      readonly file: string
      readonly durationMs: number
      readonly reason: 'stopped' | 'max-length' | 'ended' | 'failed'
    }
  /** The caller's own voice began or ended (energy detector; sent only while `listen(true)` or a recording runs). */
  | { readonly type: 'voice'; readonly active: boolean }
  /** The caller's audio, 20 ms a frame, while `tap(true)`. `timestampMs` is the leg's audio clock, without gaps. */
  | { readonly type: 'audio'; readonly samples: Int16Array; readonly timestampMs: number }
  /**
   * What the leg hears, or is sent (`said`), 20 ms a frame, while `fork` asks for it: 160 samples, or 320 where it was asked for at 16 kHz
   * (`wide`). A driver that knows 8 kHz alone gives 160 there, too. `timestampMs` as for `audio`.
   */
  | { readonly type: 'fork'; readonly said: boolean; readonly wide: boolean; readonly samples: Int16Array; readonly timestampMs: number }
  | { readonly type: 'held' }
  | { readonly type: 'resumed' }
  /** Something of the line that is worth a line in the trace. */
  | { readonly type: 'noticed'; readonly text: string }
  /** The far end asked us to transfer it (REFER, RFC 3515); the driver has declined it. */
  | { readonly type: 'transfer-requested'; readonly to: string }
  /** Last event of a leg. */
  | { readonly type: 'ended'; readonly end: LegEnd }

/** A copy of a leg's audio for somebody who listens elsewhere: what it hears and what it is sent, each at 8 and at 16 kHz. */
export interface Fork {
  readonly heard: boolean
  readonly said: boolean
  readonly heardWide: boolean
  readonly saidWide: boolean
}

/** What carries sound both ways. */
export interface LegAudio {
  /** It hears nothing while it speaks, as some modems; left out: it does. */
  readonly halfDuplex?: boolean
  /** Appends to the play queue; items follow each other without a gap. */
  play(playId: number, source: PlaySource): void
  /** Empties the play queue; every unfinished item answers `played` with `completed: false`, in order. */
  clear(): void
  sendDigits(digits: string): void
  /** Records the caller's audio (not what we play) to `file`, a WAV; written as `file.part` and renamed when complete. */
  record(recordId: number, options: { readonly file: string; readonly maxMs: number }): void
  /** `trimMs` is cut from the end: the tone of the key that ended it. */
  stopRecord(recordId: number, trimMs?: number): void
  listen(on: boolean): void
  tap(on: boolean): void
  /** In place of what was asked for before. */
  fork(wanted: Fork): void
  /**
   * Both legs hear each other until one ends or `unbridge`. False where nothing can join the two: they belong to two drivers, or one has
   * ended.
   */
  bridge(other: Leg): boolean
  unbridge(): void
}

export interface Leg {
  /** Unique for the life of the daemon process. */
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  /** null for a leg that carries no sound of ours, such as that of a fax modem. */
  readonly audio: LegAudio | null
  /** Set once, by the owner of the call, before the call stack that handed the leg over unwinds. */
  onEvent: (event: LegEvent) => void

  /** 180 (ringback by the caller's side) or 183 (we send audio before answer). Inbound only. */
  progress(sipCode: 180 | 183): void
  answer(): void
  /** Final failure before answer, such as 486, 603, 404, 503. Inbound only. */
  reject(sipCode: number, reason?: string): void
  /** BYE, CANCEL or reject as the state asks. `cause` (Q.850) travels in a Reason header. */
  hangup(cause?: number): void
}

/** What is known of an inbound call when it arrives. Empty string where unknown. */
export interface InboundCall {
  readonly leg: Leg
  /** Trunk it came through; '' when a desk phone calls. */
  readonly trunkId: string
  /** Extension that calls; '' when it came through a trunk. */
  readonly extension: string
  readonly from: string
  readonly to: string
  readonly callerName: string
  readonly calledName: string
  readonly diversion: string
  /** Where the INVITE came from, `address:port`. */
  readonly source: string
  /** X- headers of the INVITE, lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

export interface DialRequest {
  readonly via: { readonly kind: 'trunk'; readonly trunkId: string } | { readonly kind: 'extension' }
  /** Number as it is to be dialled: E.164 for a trunk, the extension's number for a phone. */
  readonly to: string
  readonly from: string
  readonly callerName: string
  /** The number that a forwarded call was made to. */
  readonly diversion?: string
  readonly timeoutSeconds: number
  /** When nothing at all came back for so long, the trunk counts as unreachable; as the driver finds right where it is left out. */
  readonly silenceMs?: number
  /** Further headers of the INVITE. */
  readonly headers?: Readonly<Record<string, string>>
  /** A fax machine will speak: no codec that only voices survive. A driver that carries no faxes takes no notice. */
  readonly fax?: boolean
  /** For a call for help: another call gives way where there is no room for it. */
  readonly help?: boolean
}

/** State of one trunk, phone or line, in words for a person. */
export interface LineStatus {
  readonly id: string
  readonly kind: 'trunk' | 'extension' | 'line'
  readonly ok: boolean
  /** `registered`, `reachable`, `unreachable`, `refused`, `not registered`, ... */
  readonly state: string
  readonly reason: string
  readonly since: string
  readonly activeCalls: number
  readonly channels: number
  /** Of a modem with voice: whether it hears while it speaks. */
  readonly duplex?: 'full' | 'half'
  /** Of a line for voice: gaps in what it said to callers since the start, where the box came too late with the next sound. */
  readonly underruns?: number
}

/** Health of the driver's own process. */
export interface DriverHealth {
  readonly ok: boolean
  readonly reason: string
  /** Free facts for `pbx status` and metrics: realtime, restarts, tick lateness, rss. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

export interface LineDriverHandlers {
  /** Must set `leg.onEvent` before it returns. */
  inbound(call: InboundCall): void
  /** A trunk, phone or the driver itself changed state. */
  statusChanged(): void
}

export interface LineDriver {
  readonly kind: string
  start(handlers: LineDriverHandlers): Promise<void>
  /** Ends every leg (BYE to all) and the driver's process. */
  stop(): Promise<void>
  /** The returned leg answers with `ended` when the call could not even be placed. */
  dial(request: DialRequest): Leg
  lines(): readonly LineStatus[]
  /** Whether it can dial at all: it runs, though a listener or a trunk may be missing. */
  readonly isUp: boolean
  health(): DriverHealth
}

// How a call ended, in words of which it is known whose they are.

/** Reason phrases of RFC 3261 21, and those of PJSIP. */
const phrases: ReadonlySet<string> = new Set(
  (
    'Unauthorized,Payment Required,Forbidden,Not Found,Method Not Allowed,Not Acceptable,Not Acceptable Here,Proxy Authentication Required,' +
    'Request Timeout,Request Terminated,Request Pending,Gone,Bad Request,Unsupported URI Scheme,Unsupported Media Type,Bad Extension,' +
    'Extension Required,Interval Too Brief,Temporarily Unavailable,Call/Transaction Does Not Exist,Loop Detected,Too Many Hops,Address Incomplete,' +
    'Ambiguous,Busy Here,Busy Everywhere,Does Not Exist Anywhere,Bad Gateway,Server Internal Error,Internal Server Error,Not Implemented,' +
    'Service Unavailable,Server Time-out,Server Timeout,Version Not Supported,Message Too Large,Decline,Declined,OK,Normal call clearing,' +
    'Multiple Choices,Moved Permanently,Moved Temporarily,Use Proxy'
  ).split(','),
)

/** Other words of the far end are quoted, which shows where they come from; logs leave them out. */
export function phraseOf(reason: string): string {
  return reason === '' || phrases.has(reason) ? reason : `"${reason.replaceAll('"', "'")}"`
}

/** The words of the far end as a value between quotes, those of this side as they are; '' where there are none. */
export function endWords({ by, text }: Pick<LegEnd, 'by' | 'text'>): string {
  return by === 'remote' ? phraseOf(text) : text
}
