/** A call on a modem line in the shape of a leg, so that it is a call like any other: listed, traced, ended with the daemon. It carries no sound. */
import type { FaxHandlers, FaxLeg, FaxLineHandlers, FaxReceiveRequest, FaxRing, FaxSession } from '../../drivers/fax.ts'
import type { Leg, LegEnd, LegEvent } from '../../drivers/line.ts'
import { newId } from '../base/ids.ts'

export class ModemLeg implements Leg, FaxLeg {
  readonly id = newId()
  readonly direction: 'inbound' | 'outbound'
  readonly audio = null
  onEvent: (event: LegEvent) => void = () => undefined
  readonly #ring: FaxRing | null
  #session: FaxSession | null = null
  #answered = false
  #over = false

  /** `ring`: of a call that comes in. */
  constructor(ring: FaxRing | null) {
    this.#ring = ring
    this.direction = ring === null ? 'outbound' : 'inbound'
  }

  /** While a session runs, a hang-up ends it and `ended` waits for it. */
  carry(session: FaxSession | null): void {
    this.#session = session
  }

  /** The far end has been heard, or is about to be. */
  taken(): void {
    if (this.#over || this.#answered) return
    this.#answered = true
    this.onEvent({ type: 'answered', codec: 'modem', secure: false })
  }

  end(end: Partial<LegEnd>): void {
    if (this.#over) return
    this.#over = true
    this.onEvent({ type: 'ended', end: { by: 'local', reason: 'hangup', sipCode: 0, cause: 16, text: '', ...end } })
  }

  /** The modem goes off hook with `receiveFax`, which follows at once. */
  answer(): void {
    queueMicrotask(() => this.taken())
  }

  /** A modem cannot refuse: the line rings on. */
  reject(sipCode: number, reason = ''): void {
    this.end({ reason: 'rejected', sipCode, text: reason })
  }

  hangup(cause = 16): void {
    if (this.#session === null) this.end({ cause })
    else this.#session.stop()
  }

  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers & Pick<FaxLineHandlers, 'frame'>): FaxSession {
    if (this.#ring === null) throw new Error('only a call that rings can be received')
    const session = this.#ring.receiveFax(request, {
      progress: (progress) => handlers.progress(progress),
      frame: (frame) => handlers.frame?.(frame),
      ended: (result) => {
        this.#session = null
        handlers.ended(result)
      },
    })
    this.#session = session
    return session
  }

  /** A modem dials and sends in one step. */
  sendFax(): FaxSession {
    throw new Error('a modem line sends faxes itself')
  }

  /** Nobody rings back to the far end: the exchange does. */
  progress(): void {}

  /** The modem listens by itself. */
  listenForTones(): void {}
}
