/** Stands in for drivers/sip: legs whose far end the test plays. */
import type { FaxHandlers, FaxLeg, FaxProgress, FaxReceiveRequest, FaxResult, FaxSendRequest, FaxSession } from '../../drivers/fax.ts'
import type {
  DialRequest,
  InboundCall,
  Leg,
  LegAudio,
  LegEnd,
  LegEvent,
  LineDriver,
  LineDriverHandlers,
  LineStatus,
} from '../../drivers/line.ts'
import type { PbxLeg, TransferRequest } from '../../drivers/pbx.ts'

const nothing: FaxProgress = {
  phase: 'negotiating',
  pages: 0,
  bitRate: 0,
  ecm: false,
  resolution: 'standard',
  transport: 'sip-audio',
  remoteId: '',
}

const hangup: LegEnd = { by: 'remote', reason: 'hangup', sipCode: 200, cause: 16, text: '' }

export class StandInLeg implements Leg, LegAudio, FaxLeg, PbxLeg {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly request: DialRequest | null
  onEvent: (event: LegEvent) => void = () => undefined
  /** What was asked of the fax on this leg. */
  sent: FaxSendRequest | null = null
  received: FaxReceiveRequest | null = null
  /** The receiver of fax tones. */
  hears: ((tone: 'cng' | 'ced') => void) | null = null
  stopped = false
  /** It hears music. */
  music = false
  /** Takes requests for transfers; null where the far end may not have them. */
  asked: ((request: TransferRequest) => void) | null = null
  rejected = 0
  over = false
  #handlers: FaxHandlers | null = null
  #last: FaxProgress = nothing

  constructor(id: string, direction: 'inbound' | 'outbound', request: DialRequest | null) {
    this.id = id
    this.direction = direction
    this.request = request
  }

  // The far end.
  ring(): void {
    this.onEvent({ type: 'ringing', sipCode: 180, earlyMedia: false })
  }

  pickUp(): void {
    this.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
  }

  progress(changes: Partial<FaxProgress> | 180 | 183): void {
    if (typeof changes === 'number') return
    this.#last = { ...this.#last, ...changes }
    this.#handlers?.progress(this.#last)
  }

  result(code: number, changes: Partial<FaxResult> = {}): void {
    const handlers = this.#handlers
    this.#handlers = null
    handlers?.ended({ ...this.#last, code, text: `code ${code}`, badRows: 0, unconfirmedLastPage: false, ...changes })
  }

  end(end: Partial<LegEnd> = {}): void {
    if (this.over) return
    this.over = true
    this.result(49, { text: 'The call has ended' })
    this.onEvent({ type: 'ended', end: { ...hangup, ...end } })
  }

  get audio(): LegAudio {
    return this
  }

  // The daemon.
  sendFax(request: FaxSendRequest, handlers: FaxHandlers): FaxSession {
    this.sent = request
    return this.#session(handlers)
  }

  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession {
    this.received = request
    return this.#session(handlers)
  }

  #session(handlers: FaxHandlers): FaxSession {
    this.#handlers = handlers
    return {
      stop: () => {
        this.stopped = true
        queueMicrotask(() => this.result(7))
      },
    }
  }

  listenForTones(heard: ((tone: 'cng' | 'ced') => void) | null): void {
    this.hears = heard
  }
  answer(): void {
    queueMicrotask(() => this.pickUp())
  }
  reject(sipCode: number): void {
    this.rejected = sipCode
    queueMicrotask(() => this.end({ by: 'local', reason: 'rejected', sipCode }))
  }
  hangup(): void {
    queueMicrotask(() => this.end({ by: 'local' }))
  }
  play(): void {}
  clear(): void {}
  sendDigits(): void {}
  record(): void {}
  stopRecord(): void {}
  listen(): void {}
  tap(): void {}
  fork(): void {}
  bridge(): boolean {
    return true
  }
  unbridge(): void {}
  loop(): void {
    this.music = true
  }
  stopLoop(): void {
    this.music = false
  }
  hold(): void {}
  playOver(): void {}
  recordBoth(): void {}
  onRecorded(): void {}
  isKept = false
  keep(): void {}
  watchCodes(): void {}
  connected(): void {}
  onTransfer(asked: ((request: TransferRequest) => void) | null): void {
    this.asked = asked
  }
  transfer(): void {}
}

export class StandInDriver implements LineDriver {
  readonly kind = 'stand-in'
  /** Every leg dialled, in order. */
  readonly legs: StandInLeg[] = []
  trunkOk = true
  /** Extensions without a phone. */
  readonly absent = new Set<string>()
  onDial: (leg: StandInLeg) => void = () => undefined
  #handlers: LineDriverHandlers | null = null

  async start(handlers: LineDriverHandlers): Promise<void> {
    this.#handlers = handlers
  }

  async stop(): Promise<void> {}

  dial(request: DialRequest): StandInLeg {
    const leg = new StandInLeg(`leg${this.legs.length}`, 'outbound', request)
    this.legs.push(leg)
    queueMicrotask(() => this.onDial(leg))
    return leg
  }

  /** A call from outside. */
  call(changes: Partial<InboundCall> = {}): StandInLeg {
    const leg = new StandInLeg('inbound', 'inbound', null)
    this.#handlers?.inbound({
      leg,
      trunkId: 'main',
      extension: '',
      from: '+15551239999',
      to: '+15550001999',
      callerName: '',
      calledName: '',
      diversion: '',
      source: '',
      headers: {},
      ...changes,
    })
    return leg
  }

  lines(): readonly LineStatus[] {
    const common = { state: '', reason: '', since: '', activeCalls: 0, channels: 3 }
    const phones = [...this.absent].map((id): LineStatus => ({ id, kind: 'extension', ok: false, ...common }))
    return [{ id: 'main', kind: 'trunk', ok: this.trunkOk, ...common }, ...phones]
  }

  isUp = true

  health() {
    return { ok: true, reason: '', facts: {} }
  }
}
