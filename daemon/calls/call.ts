/**
 * One call: its row, its leg and its end. The call owns the leg's events and hands them to the code that drives the call at the moment (an
 * application, a connection to a phone). How a call ended is decided here and nowhere else.
 */
import type { Leg, LegEnd, LegEvent, PlaySource } from '../../drivers/line.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { Ours } from '../base/for-log.ts'
import type { CallLegRow, CallRow, CallStepRow } from '../store/tables.ts'
import { newCourse, type CallSignal, type Course, type Played, type Recorded, Seam } from './course.ts'
import { partyOfRow, type Departed, type Party } from './far-leg.ts'
import { classifyEnd, endText, isTerminal, nextState, type CallInput, type OwnEnd } from './state.ts'
import { RowTime } from './row-time.ts'
import { CallTrace } from './trace.ts'
import { witness } from './witness.ts'
import { abortReason } from '../base/errors.ts'

export type { CallSignal, Played, Recorded } from './course.ts'

/** A line that says nothing of the end for so long will not say it any more. */
export const lostEndMs = 40_000
const mostLegs = 50

export interface CallObserver {
  /** The row changed in a way that must be kept (state, sequence, activity). */
  changed(call: Call): void
  /** The leg has ended; the owner settles the call once its application has been notified. */
  legEnded(call: Call): void
  /** Resolves when what is to be known of the call after a crash is on the disk, its next event included. */
  stored(call: Call): Promise<void>
}

export class Call {
  readonly row: CallRow
  readonly trace: CallTrace
  /** Of all that is written into its row. */
  readonly time: RowTime
  readonly #clock: Clock
  readonly #observer: CallObserver
  /** Null as long as the call waits to be dialled, as thousands may: the rest of it is several times as large. */
  #begun: Course | null = null
  #leg: Leg | null = null
  /** The party on the leg now, where it is another than at first. */
  #party: Party | null = null
  /** Of legs that were the call's own: what is to happen at their end. */
  #departed: Map<Leg, () => void> | null = null
  #holds = false
  #own: OwnEnd | null = null
  #limit: Timer | null = null
  /** Of the clock that nobody sets; null for what was before this run of the daemon. */
  #startedAt: number | null = null
  #answeredAt: number | null = null
  passed: readonly string[] = [] // numbers at which it has been, here and at other sites, since a person talked
  readonly #seam = new Seam()
  #nextId = 1
  /** The number of an event that is to leave: from then on it is used, whatever becomes of this process. */
  #promised = 0

  constructor(row: CallRow, clock: Clock, observer: CallObserver, fullTrace = false) {
    this.row = row
    this.#clock = clock
    this.time = new RowTime(row, clock)
    this.#observer = observer
    this.trace = new CallTrace(clock.elapsed(), fullTrace)
  }

  get id(): string {
    return this.row.callId
  }

  get #course(): Course {
    return (this.#begun ??= newCourse())
  }

  /** Aborted when the leg has ended (or never came to be). */
  get over(): AbortSignal {
    return this.#course.over.signal
  }

  /** Whether `over` is aborted. */
  get isTerminal(): boolean {
    return this.#begun?.over.signal.aborted === true
  }

  get leg(): Leg | null {
    return this.#leg
  }

  get answered(): boolean {
    return this.row.state === 'in-progress'
  }

  /** Resolves when the end of the call is written and its `call.ended` is in the outbox. */
  get settled(): Promise<void> {
    return this.#course.settled.promise
  }

  /** This daemon has decided to end the call. */
  get ending(): boolean {
    return this.#own !== null
  }

  /** Delays the report of the end until `work` is done, such as sending an event of the call. */
  holdEnd(work: Promise<unknown>): void {
    const held = Promise.allSettled([work])
    const others = this.#course.held.add(held)
    void held.then(() => others.delete(held))
  }

  /** Resolves when nothing holds the end. */
  async released(): Promise<void> {
    while (this.#course.held.size > 0) await Promise.all(this.#course.held)
  }

  note(kind: string, text: string | Ours, data?: unknown): void {
    this.trace.add(this.#clock, kind, text, data)
  }

  attach(leg: Leg): void {
    this.#leg = leg
    this.#startedAt ??= this.#clock.elapsed()
    leg.onEvent = (event) => this.#told(leg, event)
  }

  /** The call has outlived the last run of this program: `leg` was answered so long ago. `party`: the one on it, if not the first. */
  resume(leg: Leg, { answeredMs, holds, party }: { answeredMs: number; holds: boolean; party: Party | null }): void {
    this.#answeredAt = this.#startedAt = this.#clock.elapsed() - answeredMs
    this.attach(leg)
    this.#party = party
    this.#holds = holds
    this.row.state = 'in-progress'
    this.time.resumed(answeredMs, party === null)
    this.#course.answered.resolve(true)
    this.#observer.changed(this)
  }

  /** The party on the call's own leg. */
  get party(): Party {
    return this.#party ?? partyOfRow(this.row)
  }

  /** What somebody is shown who is rung for this call. */
  get shown(): { readonly from: string; readonly callerName: string } {
    const { from, callerName } = this.row
    return this.#party === null ? { from, callerName } : { from: this.#party.number, callerName: this.#party.name }
  }

  /** Whether the party on the call's own leg has put the other side on hold. */
  get holds(): boolean {
    return this.#holds
  }

  /**
   * The call goes on with another answered leg as its own, as when the caller has transferred the callee. `take` receives the handler of
   * that leg's events and hands the leg over. The former one is not hung up.
   */
  adopt(take: (told: (event: LegEvent) => void) => Leg, party: Party, holds: boolean): Departed {
    const former = this.#leg!
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    ;(this.#departed ??= new Map()).set(former, resolve)
    for (const played of this.#course.plays.values()) played({ completed: false, playedMs: 0 })
    this.#course.plays.clear()
    const leg: Leg = take((event) => this.#told(leg, event))
    this.#leg = leg
    this.#party = party
    this.#holds = holds
    this.note('leg', `${party.number} has the call now`)
    return { leg: former, ended }
  }

  /** Another call has this leg as its own, too: both end with it. */
  lend(told: (event: LegEvent) => void): Leg {
    const leg = this.#leg!
    const before = leg.onEvent
    leg.onEvent = (event) => {
      told(event)
      before(event)
    }
    return leg
  }

  listen(listener: (signal: CallSignal) => void): () => void {
    this.#course.signals.add(listener)
    return () => this.#course.signals.delete(listener)
  }

  /** Answers an inbound call; resolves true when it is answered, false when the caller was gone first. */
  answer(): Promise<boolean> {
    if (this.answered) return Promise.resolve(true)
    if (this.isTerminal || this.#leg === null) return Promise.resolve(false)
    if (this.row.direction === 'inbound') this.#leg.answer()
    return this.#course.answered.promise
  }

  /** Resolves true when the call is answered, by whomever; false when it ended before. */
  get taken(): Promise<boolean> {
    return this.#course.answered.promise
  }

  progress(code: 180 | 183): void {
    if (!this.answered) this.#leg?.progress(code)
  }

  /** Appends to the leg's play queue; resolves when the item left it, also when the call ends. */
  play(source: PlaySource): Promise<Played> {
    const audio = this.#leg?.audio ?? null
    if (this.isTerminal || audio === null) return Promise.resolve({ completed: false, playedMs: 0 })
    const id = this.#nextId++
    const played = new Promise<Played>((resolve) => this.#course.plays.set(id, resolve))
    audio.play(id, source)
    if (source.kind === 'silence') return played
    return played.then((result) => {
      this.#seam.saidUntil = result.completed ? this.#clock.elapsed() : null
      return result
    })
  }

  get seamMs(): number {
    return this.#seam.missingMs(this.#clock.elapsed())
  }

  clear(): void {
    this.#leg?.audio?.clear()
  }

  record(file: string, maxMs: number): { done: Promise<Recorded>; stop(trimMs: number): void } {
    const id = this.#nextId++
    const done = new Promise<Recorded>((resolve) => this.#course.recordings.set(id, resolve))
    const audio = this.#leg?.audio ?? null
    if (this.isTerminal || audio === null) this.#course.recordings.get(id)?.({ file, durationMs: 0, reason: 'failed' })
    else audio.record(id, { file, maxMs })
    return { done, stop: (trimMs) => audio?.stopRecord(id, trimMs) }
  }

  /** Ends the call for `own.reason`; before the answer of an inbound call with `sipCode`. The first decision stands. */
  end(own: OwnEnd, options: { sipCode?: number; cause?: number } = {}): void {
    if (this.isTerminal || this.#own !== null) return
    this.#own = own
    this.note('state', `ending: ${own.reason}`)
    if (this.#leg === null) {
      this.#finish({ by: 'local', reason: 'canceled', sipCode: 0, cause: options.cause ?? 16, text: own.reason })
    } else if (!this.answered && this.row.direction === 'inbound') {
      this.#leg.reject(options.sipCode ?? 480, own.reason)
    } else {
      this.#leg.hangup(options.cause)
    }
    // The far end may keep silent about a BYE for 32 s (RFC 3261, timer F); a line that says nothing after that says nothing any more.
    this.#limit?.cancel()
    this.#limit = this.isTerminal ? null : this.#clock.after(lostEndMs, () => this.#endLost())
  }

  /** Ends the call as `max-duration` after `seconds` from now. */
  limit(seconds: number): void {
    if (this.ending) return
    this.#limit?.cancel()
    this.#limit = this.#clock.after(seconds * 1000, () => this.end({ reason: 'max-duration', by: 'system' }))
  }

  /** Moves the state; an illegal move changes nothing and answers false. */
  move(input: CallInput): boolean {
    const state = nextState(this.row.state, input)
    if (state === null) return false
    this.row.state = state
    if (input === 'dial') this.#startedAt = this.#clock.elapsed()
    if (input === 'answer') {
      this.row.answeredAt = this.time.now()
      this.#answeredAt = this.#seam.answeredAt = this.#clock.elapsed()
      this.row.ringSeconds = this.#seconds(this.#startedAt)
    }
    this.note('state', state)
    this.#observer.changed(this)
    return true
  }

  /** Adds a party that the call is being connected with; the row changes as that leg does, and each change calls `legChanged`. */
  addLeg(row: CallLegRow): void {
    this.row.legs = [...(this.row.legs ?? []), row].slice(-mostLegs)
    this.legChanged()
  }

  /** The call is taken there; what is returned says what became of it. */
  step(to: string): (outcome: string) => void {
    const step: CallStepRow = { at: this.time.now(), to, endedAt: null, outcome: '' }
    this.row.steps = [...(this.row.steps ?? []), step].slice(-mostLegs)
    for (const listener of [...this.#course.signals]) listener({ type: 'step', to })
    return (outcome) => {
      if (!this.isTerminal) Object.assign(step, { endedAt: this.time.now(), outcome })
    }
  }

  legChanged(): void {
    if (!isTerminal(this.row.state)) this.#observer.changed(this)
  }

  /** Seconds since the answer; 0 where it was before this run of the daemon, or is not yet. */
  get talkSeconds(): number {
    return this.#seconds(this.#answeredAt)
  }

  #seconds(since: number | null): number {
    return since === null ? 0 : Math.round((this.#clock.elapsed() - since) / 1000)
  }

  activity(activity: CallRow['activity']): void {
    if (this.row.activity === activity) return
    this.row.activity = activity
    this.#observer.changed(this)
  }

  nextSequence(): number {
    this.row.sequence += 1
    this.#observer.changed(this)
    return this.row.sequence
  }

  /** To be waited for before its next event leaves, which has the number `sequence`. */
  stored(sequence: number): Promise<void> {
    this.#promised = Math.max(this.#promised, sequence)
    return this.#observer.stored(this)
  }

  /** The row as the disk is to have it: with the number of an event that may have left when this process dies. */
  get kept(): CallRow {
    return { ...this.row, sequence: Math.max(this.row.sequence, this.#promised) }
  }

  markSettled(): void {
    this.#course.settled.resolve()
  }

  #endLost(): void {
    this.note('warning', `the line did not report the end of the call within ${lostEndMs / 1000} s`)
    this.#finish({ by: 'local', reason: 'driver-lost', sipCode: 0, cause: 27, text: 'no end from the line' })
  }

  #told(leg: Leg, event: LegEvent): void {
    if (leg === this.#leg) return this.#onEvent(event)
    if (event.type !== 'ended') return
    this.#departed?.get(leg)?.()
    this.#departed?.delete(leg)
  }

  #onEvent(event: LegEvent): void {
    if (event.type === 'digit' || event.type === 'ended') witness(this.id, 'heard', event.type === 'digit' ? event.digit : 'end')
    switch (event.type) {
      case 'played':
        this.#course.plays.get(event.playId)?.({ completed: event.completed, playedMs: event.playedMs })
        this.#course.plays.delete(event.playId)
        return
      case 'recorded':
        this.#course.recordings.get(event.recordId)?.(event)
        this.#course.recordings.delete(event.recordId)
        return
      case 'answered':
        this.note('leg', `answered, ${event.codec}${event.secure ? ', encrypted' : ''}`)
        if (this.move('answer')) this.#course.answered.resolve(true)
        return
      case 'ringing':
        if (this.move('ring')) this.note('leg', `ringing (${event.sipCode})`)
        break
      case 'noticed':
      case 'transfer-requested':
        // A call that an application drives is not handed to a place the far end names.
        this.note('leg', event.type === 'noticed' ? event.text : 'transfer requested by the far end: declined')
        return
      case 'ended':
        this.#finish(event.end)
        return
      case 'held':
      case 'resumed':
        this.#holds = event.type === 'held'
        break
    }
    for (const listener of [...this.#course.signals]) listener(event as CallSignal)
  }

  /** How the party on the own leg came into the call. */
  get #direction(): CallRow['direction'] {
    return this.#party === null ? this.row.direction : 'outbound'
  }

  #finish(end: LegEnd): void {
    if (this.isTerminal) return
    this.#limit?.cancel()
    const result = classifyEnd(this.row.state, this.#direction, end, this.#own)
    if (!isTerminal(this.row.state)) this.row.state = nextState(this.row.state, result.input) ?? 'failed'
    this.row.endedAt = this.time.now()
    this.row.endReason = result.reason
    this.row.endedBy = result.by
    this.row.sipCode = end.sipCode
    if (end.cause > 0) this.row.hangupCause = end.cause
    if (this.row.answeredAt === null) this.row.ringSeconds = this.#seconds(this.#startedAt)
    else if (this.#answeredAt !== null) this.row.talkSeconds = this.talkSeconds
    this.note('state', `${this.row.state}: ${endText(result, end)}`)
    this.#course.over.abort(abortReason)
    this.#course.answered.resolve(false)
    for (const resolve of this.#course.plays.values()) resolve({ completed: false, playedMs: 0 })
    this.#course.plays.clear()
    this.#observer.legEnded(this)
  }
}
