/**
 * The fax of one SIP leg: its orders as messages, the engine's reports as progress and result. A result follows whatever
 * happens: the engine's, or one of code 49 when the call or the engine is lost first.
 */
import {
  type FaxHandlers,
  type FaxProgress,
  type FaxReceiveRequest,
  type FaxResult,
  type FaxSendRequest,
  type FaxSession,
  utcOffsetMinutes,
} from '../fax.ts'
import type { Message } from './frames.ts'

/** One frame of the T.30 dialogue (ITU-T T.30 section 5.3), without page content. */
export interface FaxFrame {
  /** Milliseconds since the session began. */
  readonly atMs: number
  readonly received: boolean
  /** Such as `DIS`, `PPS-EOP`, or `FCD x 64` for a block of image frames. */
  readonly name: string
  /** Facsimile information field, hexadecimal bytes; '' where there is none. */
  readonly fif: string
}

/** Events that only this driver has, for handlers that implement the method. */
export interface FaxFrameHandlers extends FaxHandlers {
  frame?(frame: FaxFrame): void
}

export const callDropped = 49
const operatorIntervention = 7

const nothing: FaxProgress = {
  phase: 'negotiating',
  pages: 0,
  bitRate: 0,
  ecm: false,
  resolution: 'standard',
  transport: 'sip-audio',
  remoteId: '',
}

export function sendOrder(request: FaxSendRequest): Record<string, unknown> {
  const { file, standardFile, firstPage, stationId, header, timeZone, ecm, modems, t38 } = request
  return { file, standardFile, firstPage, stationId, header, utcOffsetMinutes: utcOffsetMinutes(timeZone, new Date()), ecm, modems, t38 }
}

export function receiveOrder(request: FaxReceiveRequest): Record<string, unknown> {
  const { file, stationId, ecm, t38 } = request
  return { file, stationId, ecm, modems: ['v17', 'v29', 'v27ter'], t38 }
}

/** A session as the engine reports it. */
export class SipFax implements FaxSession {
  readonly #handlers: FaxFrameHandlers
  readonly #stop: () => void
  /** Its file is no longer in use. */
  readonly #closed: () => void
  #last: FaxProgress = nothing
  #over = false

  constructor(handlers: FaxFrameHandlers, stop: () => void, closed: () => void = () => undefined) {
    this.#handlers = handlers
    this.#stop = stop
    this.#closed = closed
  }

  get isTerminal(): boolean {
    return this.#over
  }

  stop(): void {
    if (!this.#over) this.#stop()
  }

  receive(message: Message): void {
    if (this.#over) return
    switch (message.t) {
      case 'fax':
        this.#last = readProgress(message)
        this.#handlers.progress(this.#last)
        break
      case 'faxFrame':
        this.#handlers.frame?.({
          atMs: count(message['atMs']),
          received: message['received'] === true,
          name: words(message['name']),
          fif: words(message['fif']),
        })
        break
      case 'faxEnded':
        this.#end({
          ...readProgress(message),
          phase: this.#last.phase,
          code: count(message['code']),
          text: words(message['text']),
          badRows: count(message['badRows']),
          unconfirmedLastPage: message['unconfirmedLastPage'] === true,
        })
        break
    }
  }

  /** The leg or the engine is gone and has not said how the fax ended. */
  lost(text: string): void {
    if (!this.#over) this.#end({ ...this.#last, code: callDropped, text, badRows: 0, unconfirmedLastPage: false })
  }

  /** For a leg that carries one already. */
  refuse(): void {
    this.#end({ ...nothing, code: operatorIntervention, text: 'This call already carries a fax', badRows: 0, unconfirmedLastPage: false })
  }

  #end(result: FaxResult): void {
    this.#over = true
    this.#closed()
    this.#handlers.ended(result)
  }
}

function readProgress(message: Message): FaxProgress {
  const phase = message['phase']
  return {
    phase: phase === 'training' || phase === 'page' || phase === 'confirmed' ? phase : 'negotiating',
    pages: count(message['pages']),
    bitRate: count(message['bitRate']),
    ecm: message['ecm'] === true,
    resolution: message['resolution'] === 'fine' ? 'fine' : 'standard',
    transport: message['transport'] === 't38' ? 't38' : 'sip-audio',
    remoteId: words(message['remoteId']),
  }
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : 0
}
