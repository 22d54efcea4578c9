/**
 * All calls of the box: keeps each row in the store while the call lives, and settles it once at its end (final row, trace and
 * `call.ended` in one transaction).
 */
import type { Leg } from '../../drivers/line.ts'
import { Ceilings } from '../ceilings/ceilings.ts'
import { settledWithin, type Clock, isoTime } from '../base/clock.ts'
import { keep } from '../jobs/keep.ts'
import type { Log } from '../base/log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createReach } from '../numbers/reach.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import type { CallRow, CallTraceRow, TraceEntry, WholeTrace } from '../store/tables.ts'
import { Call, type CallObserver } from './call.ts'
import { putCall, storeLive } from './live-index.ts'
import { CallMinutes } from './minutes.ts'
import type { CallEvent, CallEventContent } from '../schema/events.ts'
import { callEvent, endFields } from './envelope.ts'
import { isTerminal } from './state.ts'
import { secretOfEndpoint } from './new-call.ts'

// A trace as it is kept: names of members and times of day, which the milliseconds say again, would be half of the row.

/** Between two readings of two clocks. */
const sameMs = 2

/** Throws nothing; `wholeTrace` gives it back, each time to 2 ms. */
export function traceRow({ entries, dropped }: WholeTrace): CallTraceRow {
  let began = Number.NaN
  const kept: CallTraceRow['entries'] = []
  for (const { at, ms, kind, text, data } of entries) {
    const own = Date.parse(at) - ms
    if (!(Math.abs(own - began) <= sameMs)) kept.push((began = own))
    kept.push(data === undefined ? [ms, kind, text] : [ms, kind, text, data])
  }
  return { entries: kept, dropped }
}

export function wholeTrace({ entries, dropped }: CallTraceRow): WholeTrace {
  let began = 0
  const whole: TraceEntry[] = []
  for (const entry of entries) {
    if (typeof entry === 'number') {
      began = entry
      continue
    }
    const [ms, kind, text, data] = entry
    whole.push({ at: isoTime(began + ms), ms, kind, text, ...(data === undefined ? {} : { data }) })
  }
  return { entries: whole, dropped }
}

/** An event of a call as the outbox takes it, signed with the secret of its endpoint: for the status address of the call, or another. */
function callbackOf({ id, row }: Call, event: CallEvent, url = row.statusCallbackUrl) {
  return {
    event,
    subject: id,
    url,
    secret: secretOfEndpoint(row.endpointId),
    schedule: 'call' as const,
    // Each address has the events of a call in their order, and waits for no other.
    fifo: url === row.statusCallbackUrl ? id : `${id} ${url}`,
  }
}

/** Why a caller hears an apology: a fault, or that nobody is there. */
export type Apology = 'apology' | 'nobody' | 'not-in-service'

/** When a call is left to the next run of this program: at once, when nothing more can be waited for, not at all. */
export type Outlives = 'now' | 'later' | 'never'

export interface CallsOptions {
  readonly config: Config
  readonly store: Store
  readonly outbox: Outbox
  readonly clock: Clock
  readonly log: Log
  /** Says so to the caller, and ends the call. */
  readonly apologise: (call: Call, why: Apology) => Promise<void>
}

const flushMs = 20
const longestApologyMs = 15_000
/** For the answers to the last BYEs. */
const lastWordMs = 3000

export class Calls implements CallObserver {
  /** What calls to the outside use of the day. */
  readonly minutes: CallMinutes
  readonly #options: CallsOptions
  readonly #live = new Map<string, Call>()
  readonly #observers = new Set<(call: Call) => void>()
  readonly #alongside = new Set<(row: CallRow) => void>()
  readonly #driven = new Map<Call, Promise<void>>()
  #dirty = new Set<Call>()
  #flushing = false
  #draining = false
  #held = false
  #ended = 0

  constructor(options: CallsOptions) {
    this.#options = options
    const { config, store, clock, log } = options
    this.minutes = new CallMinutes({ store, clock, log, ceilings: new Ceilings({ config, store, clock }), reach: createReach(config) })
  }

  /** The observer is called for everything that changes about a call that lives, and for its end. */
  onChange(tell: (call: Call) => void): void {
    this.#observers.add(tell)
  }

  /** `work` runs in every transaction that writes the row of a call that began, before it is written; of its last state once. */
  onWrite(work: (row: CallRow) => void): void {
    this.#alongside.add(work)
  }

  get(callId: string): Call | undefined {
    return this.#live.get(callId)
  }

  live(): readonly Call[] {
    return [...this.#live.values()]
  }

  /** Calls that ended since the start of the daemon. */
  get endedCount(): number {
    return this.#ended
  }

  /** New calls are refused. */
  get draining(): boolean {
    return this.#draining || this.#held
  }

  /** Refuses new calls until it is switched off; calls in progress go on. */
  hold(on: boolean): void {
    this.#held = on
  }

  /** Registers a call that starts to live: an inbound one, or a queued outbound one. */
  add(row: CallRow): Call {
    const { clock, config } = this.#options
    const call = new Call(row, clock, this, config.voice.trace === 'full')
    this.#live.set(row.callId, call)
    this.minutes.expect(row)
    return call
  }

  /** The same of one that is to be dialled at once: it is on the disk before anybody is rung. `alongside` runs in the transaction. */
  async begin(row: CallRow, alongside: () => void): Promise<Call> {
    await this.#options.store.transaction(() => {
      this.#put(row)
      alongside()
    }, 'calls')
    return this.add(row)
  }

  /** Runs what drives a call and settles the call when both that and the leg have ended. */
  drive(call: Call, work: () => Promise<void>): void {
    const running = work().catch((error: unknown) => this.#fault(call, error))
    const driven = running.then(() => {
      call.end({ reason: 'failed', by: 'system' }, { sipCode: 500, cause: 41 })
      this.#driven.delete(call)
      if (call.isTerminal) void this.#settle(call)
    })
    this.#driven.set(call, driven)
  }

  /** Says to the caller that something went wrong, or that nobody is there, and ends the call. */
  apologise(call: Call, why: Apology = 'apology'): Promise<void> {
    return this.#options.apologise(call, why)
  }

  /** Nobody is left on a dead line, nor hung up on without a word, for a fault of this program. */
  async #fault(call: Call, error: unknown): Promise<void> {
    const { clock, log } = this.#options
    log.error({ err: error, callId: call.id }, 'the program that drives this call failed')
    call.note('error', 'an internal fault')
    if (call.isTerminal || call.ending || (call.row.direction === 'outbound' && !call.answered)) return
    await settledWithin(clock, longestApologyMs, [this.apologise(call)])
  }

  /** The clock was set. */
  stepped(): void {
    for (const call of this.#live.values()) {
      call.time.now()
      if (!isTerminal(call.row.state)) this.changed(call)
    }
  }

  /** Dials the leg of a queued call. */
  dial(call: Call, leg: Leg): void {
    call.attach(leg)
    call.move('dial')
  }

  /**
   * Refuses new calls; resolves when the calls in progress have ended, or after `deadlineMs` with the rest hung up. Calls that wait to be
   * dialled stay in the store and are dialled after the next start. `outlives`: calls that go on without this program, and are not waited
   * for (`now`), or not hung up (`later`).
   */
  async drain(deadlineMs: number, outlives: (call: Call) => Outlives = () => 'never'): Promise<void> {
    this.#draining = true
    const inProgress = () => [...this.#live.values()].filter((call) => call.leg !== null && outlives(call) !== 'now')
    const { clock } = this.#options
    const settled = () => inProgress().map((call) => call.settled)
    await settledWithin(clock, deadlineMs, settled())
    const rest = inProgress().filter((call) => outlives(call) === 'never')
    for (const call of rest) call.end({ reason: 'shutdown', by: 'system' }, { sipCode: 503, cause: 41 })
    await settledWithin(
      clock,
      lastWordMs,
      rest.map((call) => call.settled),
    )
  }

  changed(call: Call): void {
    this.minutes.watch(call)
    for (const observe of this.#observers) observe(call)
    const row = call.row
    const wanted = row.statusEvents.includes(row.state) || (row.state === 'in-progress' && row.statusEvents.includes('answered'))
    if (row.statusCallbackUrl !== '' && wanted && !isTerminal(row.state)) this.#sendStatus(call)
    this.#dirty.add(call)
    if (this.#flushing) return
    this.#flushing = true
    this.#options.clock.after(flushMs, () => this.#flush())
  }

  legEnded(call: Call): void {
    if (!this.#driven.has(call)) void this.#settle(call)
  }

  readonly #statusSent = new WeakMap<Call, Set<string>>()

  #sendStatus(call: Call): void {
    const sent = this.#statusSent.get(call) ?? new Set()
    this.#statusSent.set(call, sent)
    if (sent.has(call.row.state)) return
    sent.add(call.row.state)
    this.tellStatus(call, { event: 'call.status', fields: { activity: call.row.activity } })
  }

  /** Sends an event to the status address of the call, or another, after those that were sent before it. */
  tellStatus(call: Call, content: CallEventContent, url?: string): void {
    const event = callEvent(call, this.#options.clock, content)
    const { store, outbox, log } = this.#options
    store
      .transaction(() => {
        // With its number, so that no other event gets it after a crash.
        this.#put(call.kept)
        outbox.enqueue(callbackOf(call, event, url))
      }, 'calls')
      .then(() => outbox.wake())
      .catch((error: unknown) => log.error({ err: error, callId: call.id }, `${content.event} could not be stored`))
  }

  stored(call: Call): Promise<void> {
    return storeLive(this.#options, call, (row) => this.#put(row))
  }

  /** Inside a transaction. */
  #put(row: CallRow): void {
    for (const work of this.#alongside) work(row)
    putCall(this.#options.store.tables, row)
  }

  #flush(): void {
    this.#flushing = false
    // A terminal state is written by #settle alone, together with `call.ended`: were the daemon to die between the two, nobody
    // would send it after the restart.
    const rows = [...this.#dirty].filter((call) => !isTerminal(call.row.state)).map((call) => call.kept)
    this.#dirty = new Set()
    if (rows.length === 0) return
    const { store, log } = this.#options
    store
      .transaction(() => {
        for (const row of rows) this.#put(row)
      }, 'calls')
      .catch((error: unknown) => log.error({ err: error }, 'the state of calls could not be stored'))
  }

  async #settle(call: Call): Promise<void> {
    const { outbox, clock, log } = this.#options
    if (!this.#live.has(call.id)) return
    await call.released()
    call.row.activity = ''
    // What it was to say is no longer needed, nor is what its address said of somebody.
    call.row.source = null
    const wanted = call.row.statusCallbackUrl !== '' && call.row.statusEvents.includes('ended')
    const ended = wanted ? callEvent(call, clock, { event: 'call.ended', fields: endFields(call) }) : null
    await this.#storeEnd(call, ended)
    this.#live.delete(call.id)
    for (const observe of this.#observers) observe(call)
    this.#ended += 1
    if (ended) outbox.wake()
    log.info(
      {
        callId: call.id,
        direction: call.row.direction,
        state: call.row.state,
        reason: call.row.endReason,
        talkSeconds: call.row.talkSeconds,
      },
      'call ended',
    )
    call.markSettled()
  }

  /** Tries until it is on the disk. */
  async #storeEnd(call: Call, ended: CallEvent | null): Promise<void> {
    const { store, outbox, clock, log } = this.#options
    const write = (): Promise<void> =>
      store.transaction(() => {
        this.#put(call.row)
        store.tables.callTraces.put(call.id, traceRow({ entries: call.trace.entries(), dropped: call.trace.dropped }))
        if (ended) outbox.enqueue(callbackOf(call, ended))
      }, 'calls')
    const failed = (err: unknown): void => log.error({ err, callId: call.id }, 'the end of this call could not be stored; trying again')
    await keep(write, { clock, failed })
  }
}
