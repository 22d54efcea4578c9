/**
 * One number for voice and fax. While an application drives a call from a trunk, the calling tone of a fax machine (CNG,
 * 1100 Hz, ITU-T T.30 clause 4.1) is listened for; when it is heard, the application is cut off and the fax is received.
 */
import type { FaxLeg } from '../../drivers/fax.ts'
import type { Call } from '../calls/call.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { ApplicationRunner, InboundFields } from '../routing/application.ts'
import { isFaxLeg } from './sip-line.ts'

export interface SharedNumberOptions {
  readonly application: ApplicationRunner & {
    /** Ends the part of the application in a call, without a further event; false when it has none. */
    leave(callId: string, why: string): boolean
  }
  readonly receiver: { ready(): boolean; receive(call: Call): Promise<void> }
  readonly clock: Clock
  readonly log: Log
}

/** From the answer on. A fax machine that called says so for T1 (35 s, T.30) at least. */
const listenMs = 60_000

export class SharedNumber implements ApplicationRunner {
  readonly #options: SharedNumberOptions

  constructor(options: SharedNumberOptions) {
    this.#options = options
  }

  inbound(call: Call, endpointId: string, extra: InboundFields, faxes: boolean): Promise<void> {
    const { application } = this.#options
    return this.#share(call, faxes, endpointId, () => application.inbound(call, endpointId, extra, faxes))
  }

  takeOver(call: Call, name: string, signal: AbortSignal, faxes: boolean): Promise<void> {
    const { application } = this.#options
    return this.#share(call, faxes, name, () => application.takeOver(call, name, signal, faxes))
  }

  answered(call: Call): Promise<void> {
    return this.#options.application.answered(call)
  }

  async #share(call: Call, faxes: boolean, name: string, drive: () => Promise<void>): Promise<void> {
    const { application, receiver, log } = this.#options
    const { leg } = call
    if (!faxes || leg === null || !isFaxLeg(leg)) return drive()
    let fax = false
    const stop = this.#listen(call, leg, () => {
      fax = application.leave(call.id, 'a fax machine calls: the application is cut off, the fax is received')
    })
    await drive()
    stop()
    if (!fax || call.over.aborted) return
    log.info({ callId: call.id, application: name }, 'a fax machine calls a number of an application: its fax is received')
    await receiver.receive(call)
  }

  #listen(call: Call, leg: FaxLeg, found: () => void): () => void {
    const { clock, receiver, log } = this.#options
    let stopped = false
    const stop = (): void => {
      if (stopped) return
      stopped = true
      if (call.answered) leg.listenForTones(null)
    }
    const heard = (tone: 'cng' | 'ced'): void => {
      if (stopped || tone !== 'cng') return
      if (connected(call)) return leg.listenForTones(heard)
      if (!receiver.ready()) {
        call.note('warning', 'a fax machine calls, but the disk is nearly full: the application goes on')
        log.error({ callId: call.id }, 'a fax was not received: the disk is nearly full')
        return stop()
      }
      stop()
      found()
    }
    void call.taken.then((taken) => {
      if (!taken || stopped) return
      leg.listenForTones(heard)
      const timer = clock.after(listenMs, stop)
      call.over.addEventListener('abort', () => timer.cancel())
    })
    return stop
  }
}

/** The caller is with a phone, or on the way there: what is heard is none of ours. */
function connected({ row: { activity } }: Call): boolean {
  return activity === 'ringing-dest' || activity === 'routed' || activity === 'forwarded'
}
