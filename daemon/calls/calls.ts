/**
 * All calls of the box: takes inbound calls to their destination, keeps each row in the store while the call lives, and
 * settles it once at its end (final row, trace and `call.ended` in one transaction).
 */
import type { InboundCall, Leg, LegEnd, LineDriver } from '../../drivers/line.ts'
import { Ceilings } from '../ceilings/ceilings.ts'
import { pause, settledWithin, type Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { normaliseNumber } from '../numbers.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createReach } from '../reach.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import type { CallRow } from '../store/tables.ts'
import { Call } from './call.ts'
import type { CallObserver } from './call.ts'
import { callbackOf } from './callback.ts'
import { connectToExtension, isBusy } from './connect.ts'
import { putCall, storeLive } from './live-index.ts'
import { CallMinutes } from './minutes.ts'
import { newCallRow } from './new-call.ts'
import { parseDestination } from '../schema/destination.ts'
import { routeInbound } from './dial-plan.ts'
import { callEvent, endFields } from './envelope.ts'
import { listedHeaders } from './listed-headers.ts'
import type { CallEvent } from './envelope.ts'
import { isTerminal } from './state.ts'
import { UnroutedCalls } from './unrouted.ts'

/** Drives a call by an application until the call is over. Never rejects for what an application does. */
export interface ApplicationRunner {
  /** `faxes`: the number takes faxes too. */
  inbound(call: Call, endpointId: string, extra: Readonly<Record<string, unknown>>, faxes: boolean): Promise<void>
  answered(call: Call): Promise<void>
  /** Says that something went wrong and ends the call. */
  apologise(call: Call): Promise<void>
}

export interface CallsOptions {
  readonly config: Config
  readonly store: Store
  readonly outbox: Outbox
  readonly driver: LineDriver
  readonly clock: Clock
  readonly log: Log
}

const flushMs = 20
const longestApologyMs = 15_000
const settleRetryMs = 5000
/** For the answers to the last BYEs. */
const lastWordMs = 3000

export class Calls implements CallObserver {
  /** What calls to the outside use of the day. */
  readonly minutes: CallMinutes
  readonly unrouted: UnroutedCalls
  readonly #options: CallsOptions
  readonly #live = new Map<string, Call>()
  readonly #driven = new Map<Call, Promise<void>>()
  readonly #extensions: ReadonlySet<string>
  #dirty = new Set<Call>()
  #flushing = false
  #runner: ApplicationRunner | null = null
  #takeFax: ((call: Call) => Promise<void>) | null = null
  #draining = false
  #ended = 0

  constructor(options: CallsOptions) {
    this.#options = options
    const { config } = options
    this.minutes = new CallMinutes({ ...options, ceilings: new Ceilings(options), reach: createReach(config) })
    this.unrouted = new UnroutedCalls(options.clock, config.site.country)
    this.#extensions = new Set(config.extensions.map((extension) => extension.number))
  }

  /** The runner needs the calls and the calls need the runner; this closes the circle once, before the first call. `takeFax` answers. */
  setRunner(runner: ApplicationRunner, takeFax: ((call: Call) => Promise<void>) | null = null): void {
    this.#runner = runner
    this.#takeFax = takeFax
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

  onTrunk(trunkId: string): number {
    let count = 0
    for (const call of this.#live.values()) if (call.row.trunkId === trunkId && call.leg !== null && !call.over.aborted) count += 1
    return count
  }

  isExtension(number: string): boolean {
    return this.#extensions.has(number)
  }

  /** Registers a call that starts to live: an inbound one, or a queued outbound one. */
  add(row: CallRow): Call {
    const { clock, config } = this.#options
    const call = new Call(row, clock, this, config.voice.trace === 'full')
    this.#live.set(row.callId, call)
    this.minutes.expect(row)
    return call
  }

  /** Runs what drives a call and settles the call when both that and the leg are over. */
  drive(call: Call, work: (runner: ApplicationRunner) => Promise<void>): void {
    if (this.#runner === null) throw new Error('setRunner comes before the first call')
    const runner = this.#runner
    const running = work(runner).catch((error: unknown) => this.#fault(call, runner, error))
    const driven = running.then(() => {
      call.end({ reason: 'failed', by: 'system' }, { sipCode: 500, cause: 41 })
      this.#driven.delete(call)
      if (call.over.aborted) void this.#settle(call)
    })
    this.#driven.set(call, driven)
  }

  /** Nobody is left on a dead line, nor hung up on without a word, for a fault of this program. */
  async #fault(call: Call, runner: ApplicationRunner, error: unknown): Promise<void> {
    const { clock, log } = this.#options
    log.error({ err: error, callId: call.id }, 'the program that drives this call failed')
    call.note('error', 'a fault of this program')
    if (call.over.aborted || call.ending || (call.row.direction === 'outbound' && !call.answered)) return
    await settledWithin(clock, longestApologyMs, [runner.apologise(call)])
  }

  /** Takes a call to its destination; the call is returned for who wants to watch it. */
  inbound(info: InboundCall): Call {
    const { config, clock, log } = this.#options
    const row = newCallRow(clock.now(), 'inbound')
    const number = this.#normalise(info.to)
    row.from = info.from === '' ? '' : this.#normalise(info.from)
    row.to = number
    row.callerName = info.callerName
    row.trunkId = info.trunkId
    row.extension = info.extension
    const call = this.add(row)
    call.attach(info.leg)
    call.note(
      'leg',
      `call from ${row.from === '' ? 'unknown' : row.from} to ${info.to}${info.trunkId === '' ? '' : ` through ${info.trunkId}`}`,
    )
    this.changed(call)
    const trunk = config.trunks.find((candidate) => candidate.id === info.trunkId)
    if (this.#draining || (trunk && this.onTrunk(trunk.id) > trunk.channels)) {
      log.warn(
        { callId: call.id, trunk: info.trunkId },
        this.#draining ? 'call refused: stopping' : 'call refused: all channels of the trunk are in use',
      )
      this.#refuse(call, this.#draining ? 503 : 486)
      return call
    }
    this.#toDestination(call, info, number)
    return call
  }

  #toDestination(call: Call, info: InboundCall, number: string): void {
    const { config, log } = this.#options
    const { row } = call
    const route = routeInbound(config, { trunkId: info.trunkId, extension: info.extension, to: [info.to, number] })
    if (route === null || route.destination.kind === 'hangup') {
      if (route === null) {
        call.note('warning', this.unrouted.add(row, info.to))
        log.warn({ callId: call.id, trunk: info.trunkId, extension: info.extension }, 'no inbound rule fits this call')
      }
      return this.#refuse(call, route === null ? 404 : 603)
    }
    const { destination, faxes } = route
    if (destination.kind === 'extension') return this.drive(call, (runner) => this.#toExtension(call, destination.number, runner))
    const takeFax = destination.kind === 'fax' && this.#takeFax
    if (takeFax) return this.drive(call, () => takeFax(call))
    if (destination.kind !== 'endpoint') {
      log.error({ callId: call.id, destination: destination.kind }, 'this version does not serve that destination')
      return this.#refuse(call, 480)
    }
    const endpoint = config.voice.endpoints.find((candidate) => candidate.id === destination.id)
    if (!endpoint) return this.#refuse(call, 404)
    row.endpointId = endpoint.id
    row.statusCallbackUrl = endpoint.statusCallbackUrl ?? ''
    row.statusEvents = [...endpoint.statusEvents]
    this.drive(call, (runner) =>
      runner.inbound(
        call,
        endpoint.id,
        {
          ...(info.calledName === '' ? {} : { calledName: info.calledName }),
          ...(info.diversion === '' ? {} : { diversion: info.diversion }),
          ...listedHeaders(info.headers, config.voice.sipHeaders),
        },
        faxes,
      ),
    )
  }

  /** Takes a call to a destination and stays with it to the end or until `signal` aborts; true when it was answered there. */
  async connect(call: Call, destination: string, signal: AbortSignal, refused?: (end: LegEnd) => void): Promise<boolean> {
    const parsed = parseDestination(destination)
    if (parsed?.kind === 'extension') return connectToExtension(call, parsed.number, signal, this.#options, refused)
    this.#options.log.error({ callId: call.id, destination }, 'this version cannot send a call there')
    return false
  }

  /** Dials the leg of a queued call. */
  dial(call: Call, leg: Leg): void {
    call.attach(leg)
    call.move('dial')
  }

  /**
   * Refuses new calls; resolves when the calls in progress are over, or after `deadlineMs` with the rest hung up. Calls
   * that wait to be dialled stay in the store and are dialled after the next start.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#draining = true
    const inProgress = () => [...this.#live.values()].filter((call) => call.leg !== null)
    const { clock } = this.#options
    const settled = () => inProgress().map((call) => call.settled)
    await settledWithin(clock, deadlineMs, settled())
    for (const call of inProgress()) call.end({ reason: 'shutdown', by: 'system' }, { sipCode: 503, cause: 41 })
    await settledWithin(clock, lastWordMs, settled())
  }

  changed(call: Call): void {
    this.minutes.watch(call)
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
    const event = callEvent(call, this.#options.clock, 'call.status', {})
    const { store, outbox, log } = this.#options
    store
      .transaction(() => {
        // With its number, so that no other event gets it after a crash.
        putCall(store.tables, call.kept)
        outbox.enqueue(callbackOf(call, event))
      })
      .then(() => outbox.wake())
      .catch((error: unknown) => log.error({ err: error, callId: call.id }, 'call.status could not be stored'))
  }

  stored(call: Call): Promise<void> {
    return storeLive(this.#options, call)
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
        for (const row of rows) putCall(store.tables, row)
      })
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
    const ended = wanted ? callEvent(call, clock, 'call.ended', endFields(call)) : null
    await this.#storeEnd(call, ended)
    this.#live.delete(call.id)
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

  /** Tries until it is on the disk: a full disk may be mended, a lost `call.ended` may not. */
  async #storeEnd(call: Call, ended: CallEvent | null): Promise<void> {
    const { store, outbox, clock, log } = this.#options
    for (;;) {
      try {
        return await store.transaction(() => {
          putCall(store.tables, call.row)
          store.tables.callTraces.put(call.id, { entries: call.trace.entries(), dropped: call.trace.dropped })
          if (ended) outbox.enqueue(callbackOf(call, ended))
        })
      } catch (error) {
        log.error({ err: error, callId: call.id }, 'the end of this call could not be stored; trying again')
        await pause(clock, settleRetryMs)
      }
    }
  }

  #refuse(call: Call, sipCode: number): void {
    call.end({ reason: sipCode === 603 ? 'rejected' : sipCode === 404 ? 'no-route' : 'failed', by: 'system' }, { sipCode })
  }

  async #toExtension(call: Call, number: string, runner: ApplicationRunner): Promise<void> {
    let busy = false
    if (!(await this.connect(call, number, call.over, (end) => (busy = isBusy(end)))) && !call.over.aborted) {
      if (call.answered) await runner.apologise(call)
      else if (busy) call.end({ reason: 'busy', by: 'callee' }, { sipCode: 486 })
      else call.end({ reason: 'no-answer', by: 'system' }, { sipCode: 480 })
    }
  }

  #normalise(raw: string): string {
    if (this.#extensions.has(raw)) return raw
    return normaliseNumber(raw, this.#options.config.site.country).e164 ?? raw
  }
}
