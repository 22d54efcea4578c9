/**
 * The contract between the daemon and whatever carries a fax: a leg of a SIP call (`drivers/sip`), or a modem line (`drivers/modem`).
 * One T.30 session (ITU-T T.30) runs on one answered call; pages are TIFF files of Group 4 images, 1728 pixels wide.
 */
import type { Leg } from './line.ts'

/** What a zone's clocks show: the header line of a fax has the site's time, and spandsp knows no IANA names. */

/** Minutes east of Greenwich that a zone's clocks show at that moment; 0 for a zone that is not known. */
export function utcOffsetMinutes(timeZone: string, at: Date): number {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
    const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find((part) => part.type === 'timeZoneName')?.value ?? '')
    if (match === null) return 0
    return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]))
  } catch {
    return 0
  }
}

export type FaxModem = 'v17' | 'v29' | 'v27ter'

export interface FaxSendRequest {
  /** Pages at 204 x 196 dots per inch. */
  readonly file: string
  /** The same pages at 204 x 98, for a receiver without fine resolution (DIS bit 15); '' for none. */
  readonly standardFile: string
  /** Pages before it are confirmed already; counts from 0. */
  readonly firstPage: number
  /** TSI: at most 20 of digits, `+` and space. */
  readonly stationId: string
  /** Organisation in the header line of each page, at most 50 characters of Latin-1. */
  readonly header: string
  /** IANA name: the zone of the header line's time. */
  readonly timeZone: string
  readonly ecm: boolean
  readonly modems: readonly FaxModem[]
  /** Whether the call may change to T.38. */
  readonly t38: boolean
}

export interface FaxReceiveRequest {
  /** TIFF that is written, page by page as they arrive. */
  readonly file: string
  /** CSI. */
  readonly stationId: string
  readonly ecm: boolean
  readonly t38: boolean
}

export type FaxTransport = 'modem' | 'sip-audio' | 't38'
export type FaxResolution = 'standard' | 'fine'

/** What became of the session so far. */
export interface FaxProgress {
  /** `negotiating`: V.21 of the far end was heard; `training`; `page`: an image is on the wire; `confirmed`: MCF for a page. */
  readonly phase: 'negotiating' | 'training' | 'page' | 'confirmed'
  /** Pages confirmed by the receiver in this session (sending), or received whole (receiving). */
  readonly pages: number
  /** Bit/s; 0 until known. */
  readonly bitRate: number
  readonly ecm: boolean
  readonly resolution: FaxResolution
  readonly transport: FaxTransport
  /** CSI or TSI of the far end, trimmed; '' until known. */
  readonly remoteId: string
}

export interface FaxResult extends FaxProgress {
  /** spandsp's completion code (T30_ERR_...): 0 is OK, see the contract of the fax capability. */
  readonly code: number
  readonly text: string
  /** Rows with errors in the pages received, without ECM. */
  readonly badRows: number
  /** The end of the page after the confirmed ones was sent (EOP, MPS) and no answer came: that page may have arrived. */
  readonly unconfirmedLastPage: boolean
}

export interface FaxSession {
  /** Ends it with DCN; `ended` follows. */
  stop(): void
}

export interface FaxHandlers {
  progress(progress: FaxProgress): void
  /** Once, also when the call or the engine is lost (code 49). */
  ended(result: FaxResult): void
}

/** A leg that can carry a fax. Methods of a leg that has ended answer `ended` at once. */
export interface FaxLeg {
  sendFax(request: FaxSendRequest, handlers: FaxHandlers): FaxSession
  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession
  /** Listens for fax tones: CNG (1100 Hz, a fax calls) and CED or V.21 (a fax answers). */
  listenForTones(heard: ((tone: 'cng' | 'ced') => void) | null): void
}

/**
 * How the call of a line that dials itself came out. `not-a-fax`: taken, or rung until the modem gave up, and no fax
 * machine was heard. `glare`: a call came in instead. `delayed`, `blacklisted`: the modem itself refuses to dial this
 * number now. `modem-fault`: no call was made, or the modem failed during it.
 */
export type FaxDialResult =
  | 'connected'
  | 'busy'
  | 'no-answer'
  | 'no-dialtone'
  | 'no-carrier'
  | 'not-a-fax'
  | 'glare'
  | 'delayed'
  | 'blacklisted'
  | 'modem-fault'
  | 'canceled'

/** Code 49 where no session began: `dial` says why. */
export interface FaxLineResult extends FaxResult {
  readonly dial: FaxDialResult
  /** V.21 of the far end was heard. */
  readonly heardFax: boolean
}

/** One frame of the T.30 dialogue, without page content. */
export interface FaxLineFrame {
  readonly atMs: number
  readonly received: boolean
  /** Such as `DIS`, `PPS-EOP`, or `FCD x 64` for a block of image frames. */
  readonly name: string
  /** Facsimile information field, hexadecimal; '' for none. */
  readonly fif: string
}

export interface FaxLineHandlers {
  progress(progress: FaxProgress): void
  frame?(frame: FaxLineFrame): void
  /** Once, last. */
  ended(result: FaxLineResult): void
}

/** `unplugged`: the device is not there; `faulty`: it is there and of no use, `text` says why; both are tried again by themselves. */
export type FaxLineState =
  'starting' | 'ready' | 'ringing' | 'dialing' | 'sending' | 'receiving' | 'talking' | 'resetting' | 'unplugged' | 'faulty' | 'stopped'

/** Of a modem: 1 and 1.0 (ITU-T T.31), 2 (SP-2388-A), 2.0 (TIA-592), 2.1 (ITU-T T.32). */
export type FaxClass = '1' | '1.0' | '2' | '2.0' | '2.1'

export interface FaxLineStatus {
  readonly state: FaxLineState
  /** One sentence for people; '' while all is well. */
  readonly text: string
  /** What the modem calls itself; '' until known. */
  readonly model: string
  readonly faxClass: '' | FaxClass
  readonly modems: readonly FaxModem[]
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** What a line showed when it was tried out. */
export interface FaxLineTest {
  readonly answered: boolean
  /** What the modem says of itself. */
  readonly identification: readonly string[]
  /** As the modem lists them. */
  readonly classes: string
  /** `unknown` where the modem cannot report it. */
  readonly dialTone: 'heard' | 'none' | 'unknown'
  /** In dB below the loudest sine; null where it was not asked for, or the modem has no voice. */
  readonly levels: { readonly dialTone: number | null; readonly noise: number | null; readonly echoLoss: number | null } | null
}

/** A call that rings on such a line. */
export interface FaxRing {
  /** As the exchange sent it; '' where withheld or unknown. */
  readonly callerNumber: string
  readonly callerName: string
  /** Of a distinctive ring, as the modem reports it: "short short", "long"; '' where it does not. */
  readonly cadence: string
  /** Answers as a fax machine. */
  receiveFax(request: FaxReceiveRequest, handlers: FaxLineHandlers): FaxSession
  /** Answers as a voice; null where the line has none. */
  readonly voice: (() => Leg & FaxLeg) | null
}

/** A line that dials, answers and hangs up by itself: a modem. One fax at a time. */
export interface FaxLine {
  readonly id: string
  readonly number: string
  status(): FaxLineStatus
  statusChanged: ((status: FaxLineStatus) => void) | null
  /** Once for each call that rings; a call that is not answered is left alone. */
  onRing: ((ring: FaxRing) => void) | null
  /** `to`: digits, `*`, `#`, `,` for a pause, `W` for a wait for dial tone, `P` before what is dialled by pulses. A line that is not `ready` ends it at once. */
  sendFax(to: string, request: FaxSendRequest, handlers: FaxLineHandlers): FaxSession
  start(): void
  /** Says goodbye to a call in progress, closes the device. */
  stop(): Promise<void>
}
