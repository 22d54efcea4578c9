/** What a SIP driver is given, and what it is. */
import type { FaxLeg } from '../fax.ts'
import type { DialRequest, Leg, LineDriver } from '../line.ts'
import type { PbxLeg, PbxLines } from '../pbx.ts'
import type { SipBans } from './bans.ts'
import type { SipConfiguration, SipContact } from './configuration.ts'
import type { Bound, EngineFault } from './listeners.ts'
import type { DriverLog } from './process.ts'
import type { Refusals } from './refusals.ts'
import type { SharedFolders } from './spool.ts'
import type { SipTexts } from './texts.ts'
import type { Message } from './frames.ts'
import { text, whole } from './reading.ts'

/** How long this program waits for pbx-engine, and how often it asks. */

/** Durations in milliseconds. */
export interface EngineTiming {
  readonly restartFirst: number
  readonly restartMost: number
  /** As restartMost, for a service that is looked for: its starter has a delay of its own. */
  readonly lookMost: number
  /** An engine that served this long resets the back-off. */
  readonly steadyAfter: number
  readonly helloWithin: number
  readonly pingEvery: number
  readonly pingsUnanswered: number
  readonly stopWithin: number
}

export const standardTiming: EngineTiming = {
  restartFirst: 200,
  restartMost: 5000,
  lookMost: 500,
  steadyAfter: 10_000,
  helloWithin: 5000,
  // The engine takes a daemon that has said nothing for 2 s for gone, and refuses calls.
  pingEvery: 500,
  pingsUnanswered: 12,
  stopWithin: 4000,
}

/** Calls for help that the engine has placed by itself, for no daemon took them in time. */
interface HelpedCall {
  readonly number: string
  readonly extension: string
  /** IP address of the phone. */
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Through no trunk; false where it was answered, or the phone gave up. */
  readonly lost: boolean
}

export class HelpedCalls {
  readonly #observers = new Set<(call: HelpedCall) => void>()

  /** The observer is called for each, also for those while no daemon was there. */
  onHelped(tell: (call: HelpedCall) => void): void {
    this.#observers.add(tell)
  }

  receive(message: Message): boolean {
    if (message.t !== 'helped') return false
    const { number, extension, source, at, lost } = message
    const call = { number: text(number), extension: text(extension), source: text(source), at: whole(at), lost: lost === true }
    for (const observe of this.#observers) observe(call)
    return true
  }
}

export interface SipDriverOptions {
  readonly enginePath: string
  readonly engineArguments?: readonly string[]
  readonly configure: SipConfiguration
  readonly log: DriverLog
  /** Where an engine is found that has outlived its daemon; without it every call ends with the daemon. */
  readonly standby?: string
  /** Where the engine listens as a service of its own, and what it shares with this program; without it this program starts it. */
  readonly service?: SharedFolders & { readonly socket: string }
  /** Prompts the engine may hold, in bytes of PCM. */
  readonly clipBytes?: number
  /** Contacts of an extension changed; an empty list: none left. To be kept, so that a restart knows them. */
  readonly onRegistration?: (extension: string, contacts: readonly SipContact[], userAgent: string) => void
  readonly onBanned?: (address: string) => void
  readonly timing?: Partial<EngineTiming>
}

/** Every leg of this driver is a PbxLeg and can carry a fax, those of inbound calls as well. */
export interface SipDriver extends LineDriver, PbxLines {
  readonly texts: SipTexts
  readonly bans: SipBans
  /** What the engine refused and ended in its own defence. */
  readonly refusals: Refusals
  readonly helped: HelpedCalls
  dial(request: DialRequest): Leg & FaxLeg & PbxLeg
  /** Trunks and extensions may change at any time, calls untouched; listeners are bound on the first one only. */
  configure(configuration: SipConfiguration): void
  /** New calls of trunks are refused with 503 until it is off; those of phones still come: one may call for help. Calls in progress go on. `silent`: nobody is answered, and who repeats the request finds another machine. */
  drain(on?: boolean, silent?: boolean): void
  /** This program ends and reports nothing more. Calls marked to be kept go on without it; the others end. Use it instead of `stop`. */
  leave(): void
  /** All null while the engine is not up. */
  bound(): Bound
  /** Listeners that could not be opened; they are tried again and again. The engine serves on with the others. */
  closedListeners(): readonly EngineFault[]
}
