/**
 * The simulated line: calls without a phone, for `pbx simulate`, for trying an application, and for tests. A LineDriver
 * like any other, in this process; its far ends follow scripts and report what they hear.
 */
import type { DialRequest, DriverHealth, InboundCall, Leg, LegEnd, LineDriver, LineDriverHandlers, LineStatus } from '../line.ts'
import { FarEnd, type SimStep } from './far-end.ts'
import { causeOf, SimLeg, type SimNotice } from './leg.ts'
import { lineClock, realClock, type SimClock } from './time.ts'

export type { SimStep } from './far-end.ts'
export type { SimNotice } from './leg.ts'
export type { SimClock } from './time.ts'

/** How a dialled far end behaves; milliseconds of line time. */
export type SimAnswer =
  | { readonly kind: 'answer'; readonly ringMs?: number; readonly afterMs?: number; readonly script?: readonly SimStep[] }
  | { readonly kind: 'busy'; readonly afterMs?: number }
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'refuse'; readonly sipCode: number; readonly afterMs?: number }

export interface SimDriverOptions {
  readonly clock?: SimClock
  /** 1 = real time; 10 = ten times as fast. */
  readonly speed?: number
  /** How dialled numbers behave; answered after 1 s by someone silent when absent. */
  readonly answer?: (request: DialRequest) => SimAnswer
  /** Everything that far ends notice. */
  readonly observer?: (legId: string, notice: SimNotice) => void
  /** A call's owner threw while it handled an event; rethrown when absent. */
  readonly onFault?: (error: unknown) => void
}

export interface SimCallOptions {
  readonly from: string
  readonly to: string
  readonly trunkId?: string
  readonly extension?: string
  readonly callerName?: string
  readonly calledName?: string
  readonly diversion?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly script?: readonly SimStep[]
  readonly observer?: (notice: SimNotice) => void
  /** What the far end hears, a second at a time; the last may be shorter. */
  readonly hears?: (samples: Int16Array) => void
}

/** One simulated call, as its caller holds it. */
export interface SimCall {
  readonly legId: string
  press(digits: string): Promise<void>
  speak(samples: Int16Array): Promise<void>
  hold(on: boolean): void
  /** Somebody waits for the person without having played anything. */
  asked(): void
  hangup(): void
  readonly ended: Promise<LegEnd>
}

export interface SimDriver extends LineDriver {
  /** A call comes in. */
  call(options: SimCallOptions): SimCall
}

export function createSimDriver(options: SimDriverOptions = {}): SimDriver {
  return new SimulatedLine(options)
}

class SimulatedLine implements SimDriver {
  readonly kind = 'sim'
  readonly #options: SimDriverOptions
  readonly #clock: SimClock
  readonly #started = new Date().toISOString()
  readonly #legs = new Set<SimLeg>()
  #handlers: LineDriverHandlers | null = null
  #count = 0

  constructor(options: SimDriverOptions) {
    this.#options = options
    this.#clock = lineClock(options.clock ?? realClock, options.speed ?? 1)
  }

  async start(handlers: LineDriverHandlers): Promise<void> {
    this.#handlers = handlers
  }

  async stop(): Promise<void> {
    for (const leg of this.#legs) leg.hangup()
    this.#handlers = null
  }

  call(options: SimCallOptions): SimCall {
    const { leg, far, ended } = this.#connect('inbound', options.observer)
    const call: InboundCall = {
      leg,
      trunkId: options.trunkId ?? '',
      extension: options.extension ?? '',
      from: options.from,
      to: options.to,
      callerName: options.callerName ?? '',
      calledName: options.calledName ?? '',
      diversion: options.diversion ?? '',
      source: '',
      headers: options.headers ?? {},
    }
    if (options.hears !== undefined) leg.tellSaid(options.hears)
    if (this.#handlers === null) leg.reject(503, 'The line is not in service')
    else {
      try {
        this.#handlers.inbound(call)
      } catch (error) {
        leg.reject(503)
        this.#fault(error)
      }
    }
    void far.run(options.script ?? [])
    return {
      legId: leg.id,
      press: (digits) => far.press(digits),
      speak: (samples) => far.speak(samples),
      hold: (on) => far.hold(on),
      asked: () => far.asked(),
      hangup: () => far.hangup(),
      ended,
    }
  }

  dial(request: DialRequest): Leg {
    const { leg, far } = this.#connect('outbound')
    const answer = this.#options.answer?.(request) ?? { kind: 'answer' }
    const give = (end: Omit<LegEnd, 'text'>, text: string, ms: number): void => {
      this.#clock.after(ms, () => leg.end({ ...end, text }))
    }
    this.#clock.after(request.timeoutSeconds * 1000, () => {
      if (!leg.isAnswered) leg.end({ by: 'system', reason: 'no-answer', sipCode: 408, cause: 19, text: 'No answer in time' })
    })
    const ring = (ms: number): void => {
      this.#clock.after(ms, () => {
        if (!leg.isAnswered) leg.emit({ type: 'ringing', sipCode: 180, earlyMedia: false })
      })
    }
    switch (answer.kind) {
      case 'busy':
        give({ by: 'remote', reason: 'rejected', sipCode: 486, cause: 17 }, 'Busy here', answer.afterMs ?? 200)
        break
      case 'refuse':
        give(
          { by: 'remote', reason: 'rejected', sipCode: answer.sipCode, cause: causeOf(answer.sipCode) },
          'Refused',
          answer.afterMs ?? 200,
        )
        break
      case 'no-answer':
        ring(100)
        break
      case 'answer':
        ring(answer.ringMs ?? 100)
        this.#clock.after(answer.afterMs ?? 1000, () => leg.connect())
        void far.run(answer.script ?? [])
        break
    }
    return leg
  }

  lines(): readonly LineStatus[] {
    return [
      {
        id: 'simulator',
        kind: 'line',
        ok: this.#handlers !== null,
        state: this.#handlers === null ? 'stopped' : 'ready',
        reason: '',
        since: this.#started,
        activeCalls: this.#legs.size,
        channels: 0,
      },
    ]
  }

  get isUp(): boolean {
    return true
  }

  health(): DriverHealth {
    return { ok: true, reason: '', facts: { legs: this.#legs.size, speed: this.#options.speed ?? 1 } }
  }

  #connect(
    direction: 'inbound' | 'outbound',
    observer?: (notice: SimNotice) => void,
  ): { leg: SimLeg; far: FarEnd; ended: Promise<LegEnd> } {
    this.#count += 1
    const id = `sim-${this.#count}`
    const { promise, resolve } = Promise.withResolvers<LegEnd>()
    const born = this.#clock.now()
    // The far end and the leg count from the beginning of their call.
    const clock: SimClock = { now: () => this.#clock.now() - born, after: (ms, fn) => this.#clock.after(ms, fn) }
    const report = (notice: SimNotice): void => {
      observer?.(notice)
      this.#options.observer?.(id, notice)
    }
    const leg: SimLeg = new SimLeg({
      id,
      direction,
      clock,
      notice: (notice) => {
        report(notice)
        if (notice.type === 'ended') {
          far.stop()
          resolve(notice.end)
        } else far.saw(notice)
      },
      ended: () => void this.#legs.delete(leg),
      fault: (error) => this.#fault(error),
    })
    const far = new FarEnd(leg, clock, report)
    this.#legs.add(leg)
    return { leg, far, ended: promise }
  }

  #fault(error: unknown): void {
    if (this.#options.onFault === undefined) throw error
    this.#options.onFault(error)
  }
}
