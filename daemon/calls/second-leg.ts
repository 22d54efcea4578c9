/**
 * A further leg of a call: somebody whom the call is being connected with. It belongs to the call, is shown with it and traced in it, and
 * holds its channel until the line has reported its end.
 */
import type { Leg, LegEnd, LegEvent, PlaySource } from '../../drivers/line.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { CallLegRow, TransferRow } from '../store/tables.ts'
import { lostEndMs, type Call } from './call.ts'
import type { FarLeg } from './far-leg.ts'
import { classifyEnd, isTerminal, nextState, type CallInput, type OwnEnd } from './state.ts'
import { abortReason } from '../base/errors.ts'
import { pbxLeg, type TransferRequest } from '../../drivers/pbx.ts'

// Transfers (REFER) that a phone asks for at the very moment of the answer, before its conversation has begun: they wait for a short while,
// and are declined where no conversation begins.

/** Where a call was sent on, for its record. */
const mostKept = 50

export function noteTransfer({ row, time }: Call, to: string, kind: TransferRow['kind']): void {
  const at = time.now()
  row.transfers = [...(row.transfers ?? []), { at, to, kind }].slice(-mostKept)
}

type Asked = (request: TransferRequest) => void

const patienceMs = 2000
const declined = 603

const early = new WeakMap<Leg, { readonly request: TransferRequest; readonly timer: Timer }>()

/** Call this before the answer, for a leg that may have a conversation. */
export function expectTransfers(leg: Leg | null, clock: Clock): void {
  pbxLeg(leg)?.onTransfer((request) => {
    if (leg === null || early.has(leg)) return request.progress(declined)
    const timer = clock.after(patienceMs, () => {
      early.delete(leg)
      request.progress(declined)
    })
    early.set(leg, { request, timer })
  })
}

/** `asked` has what was asked for already, soon, and all that follows. */
export function takeTransfers(leg: Leg, asked: Asked): void {
  pbxLeg(leg)?.onTransfer(asked)
  const waiting = early.get(leg)
  if (waiting === undefined) return
  early.delete(leg)
  waiting.timer.cancel()
  queueMicrotask(() => asked(waiting.request))
}

const lost: LegEnd = { by: 'local', reason: 'driver-lost', sipCode: 0, cause: 27, text: 'no end from the line' }

export class SecondLeg implements FarLeg {
  readonly row: CallLegRow
  /** Called when it rings. */
  onRinging: () => void = () => undefined
  /** Called when what it sends before the answer is to be heard, and again when more is known of that. */
  onEarlyMedia: () => void = () => undefined
  /** Called when it puts the other side on hold, and when it comes back. */
  onHold: (held: boolean) => void = () => undefined
  /** Called for each key that is pressed there. */
  onDigit: (digit: string) => void = () => undefined
  readonly #call: Call
  readonly #clock: Clock
  readonly #over = new AbortController()
  readonly #taken = Promise.withResolvers<boolean>()
  readonly #ended = Promise.withResolvers<LegEnd>()
  readonly #plays = new Map<number, (completed: boolean) => void>()
  #leg: Leg | null = null
  #released = false
  #holds = false
  /** It has described its audio before the answer; has said that it rings; has been heard. */
  #early = false
  #rings = false
  #heard = false
  /** Set once the call has it as its own leg: receives every event of it. */
  #owner: ((event: LegEvent) => void) | null = null
  #nextPlay = 1

  /** `known`: its row, where the call has it already. */
  constructor(call: Call, to: string, trunkId: string, clock: Clock, known?: CallLegRow) {
    this.#call = call
    this.#clock = clock
    this.row = known ?? { to, trunkId, state: 'dialing', startedAt: call.time.now(), answeredAt: null, endedAt: null, sipCode: 0 }
    if (known === undefined) call.addLeg(this.row)
  }

  /** Aborted when the line has reported its end, or is not listened to any more. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** A phone is ringing there and has sent no sound yet, so the caller who waits hears nothing from it (RFC 3960 section 3.2). */
  get ringsUnheard(): boolean {
    return this.#rings && !this.#heard
  }

  /** Resolves true when it is answered, false when it ends before that or is released. */
  get taken(): Promise<boolean> {
    return this.#taken.promise
  }

  /** Resolves when the line has reported its end. */
  get ended(): Promise<LegEnd> {
    return this.#ended.promise
  }

  get leg(): Leg | null {
    return this.#leg
  }

  /** Whether it has put the other side on hold. */
  get holds(): boolean {
    return this.#holds
  }

  /** The leg has another owner from now on, which receives every event of it; its row and its channel stay its own. It was attached. */
  handOver(owner: (event: LegEvent) => void): Leg {
    this.#owner = owner
    this.#cutPlays()
    return this.#leg!
  }

  attach(leg: Leg): void {
    this.#leg = leg
    leg.onEvent = (event) => this.#onEvent(event)
  }

  /** It has outlived the last run of this program. */
  resume(leg: Leg, holds: boolean): void {
    this.attach(leg)
    this.#holds = holds
    this.row.state = 'in-progress'
    this.row.answeredAt ??= this.#call.time.now()
    this.#taken.resolve(true)
  }

  /** Resolves whether it was heard to its end. */
  play(source: PlaySource): Promise<boolean> {
    const audio = this.#leg?.audio ?? null
    if (audio === null || this.#released || this.#over.signal.aborted) return Promise.resolve(false)
    const id = this.#nextPlay++
    const played = new Promise<boolean>((resolve) => this.#plays.set(id, resolve))
    audio.play(id, source)
    return played
  }

  /** What is being played there is cut. */
  clear(): void {
    this.#leg?.audio?.clear()
  }

  /** The call and this leg hear each other; false where nothing can join them. */
  bridge(): boolean {
    return this.#leg !== null && this.#call.leg?.audio?.bridge(this.#leg) === true
  }

  /** Whether it was hung up by `release`. */
  get released(): boolean {
    return this.#released
  }

  /** Hangs up; only its end is reported after that. `cause`: of Q.850, for the far end. */
  release(cause?: number): void {
    if (this.#owner !== null || this.#released || this.#over.signal.aborted) return
    this.#released = true
    this.#leg?.hangup(cause)
    this.#settle({ by: 'local', reason: 'canceled', sipCode: 0, cause: 16, text: '' }, { reason: 'canceled', by: 'system' })
    this.#clock.after(lostEndMs, () => this.#finish(lost))
  }

  #onEvent(event: LegEvent): void {
    if (this.#owner !== null) {
      if (event.type === 'ended') this.#finish(event.end)
      return this.#owner(event)
    }
    switch (event.type) {
      case 'ringing':
        if (this.#move('ring')) this.onRinging()
        this.#early ||= event.earlyMedia
        this.#rings ||= event.sipCode === 180
        return this.#tellEarlyMedia()
      case 'heard':
        this.#heard = true
        return this.#tellEarlyMedia()
      case 'answered':
        if (!this.#move('answer')) return
        this.row.answeredAt = this.#call.time.now()
        this.#taken.resolve(true)
        return
      case 'played':
        this.#plays.get(event.playId)?.(event.completed)
        this.#plays.delete(event.playId)
        return
      case 'digit':
        this.onDigit(event.digit)
        return
      case 'held':
      case 'resumed':
        this.#holds = event.type === 'held'
        return this.onHold(this.#holds)
      case 'ended':
        this.#finish(event.end)
    }
  }

  #tellEarlyMedia(): void {
    if (this.#early && this.row.state === 'ringing') this.onEarlyMedia()
  }

  #move(input: CallInput): boolean {
    const state = nextState(this.row.state, input)
    if (state === null) return false
    this.row.state = state
    this.#call.legChanged()
    return true
  }

  #finish(end: LegEnd): void {
    if (this.#over.signal.aborted) return
    this.#settle(end, null)
    this.#over.abort(abortReason)
    this.#ended.resolve(end)
  }

  /** What the row says of its end; the first word stands. */
  #settle(end: LegEnd, own: OwnEnd | null): void {
    const { row } = this
    if (!isTerminal(row.state)) {
      row.state = nextState(row.state, classifyEnd(row.state, 'outbound', end, own).input) ?? 'failed'
      row.endedAt = this.#call.time.now()
      row.sipCode = end.sipCode
      this.#call.legChanged()
    }
    this.#taken.resolve(false)
    this.#cutPlays()
  }

  #cutPlays(): void {
    for (const resolve of this.#plays.values()) resolve(false)
    this.#plays.clear()
  }
}
