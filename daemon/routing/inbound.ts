/** Calls that come in: each gets its row, a channel of its trunk, and the destination that the dial plan says. */
import type { InboundCall } from '../../drivers/line.ts'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import { newCallRow } from '../calls/new-call.ts'
import type { Clock } from '../base/clock.ts'
import { derived } from '../base/derived.ts'
import type { Registry } from '../base/registry.ts'
import type { Log } from '../base/log.ts'
import { normaliseNumber, soughtNumber } from '../numbers/numbers.ts'
import type { Config } from '../schema/config.ts'
import { inCircles, isSiteTrunk, passedIn } from '../schema/config/sites.ts'
import type { Desks, DialledCode, KnownCaller } from './desks.ts'
import type { Destinations } from './destinations.ts'
import { routeInbound, type InboundRoute } from './dial-plan.ts'
import type { Taken } from './taken.ts'
import type { Trunks } from './trunks.ts'
import { UnroutedCalls } from './unrouted.ts'
import { progressTone, toneCountryOf, type ProgressTone } from '../../drivers/tones.ts'

/** What a caller who was answered already hears before the words, where the one who was wanted is busy or cannot be called (E.180). */
const atLeastMs = 1500
const samplesPerMs = 8

export async function soundRefusal(call: Call, taken: Taken, country: string): Promise<void> {
  const kind = toneOf(taken)
  if (kind === null) return
  const clip = progressTone(toneCountryOf(country), kind)
  for (let ms = 0; ms < atLeastMs; ms += clip.samples.length / samplesPerMs)
    if (!(await call.play({ kind: 'clip', clip })).completed) return
}

/** Nobody has this number. */
function notInService({ outcome, sipCode }: Taken): boolean {
  return outcome === 'failed' && (sipCode === 404 || sipCode === 484 || sipCode === 604)
}

/** null: it rang, and that was heard. */
function toneOf(taken: Taken): ProgressTone | null {
  if (notInService(taken)) return 'special-information'
  switch (taken.outcome) {
    case 'busy':
    case 'refused':
      return 'busy'
    case 'unreachable':
    case 'failed':
      return 'congestion'
    default:
      return null
  }
}

export interface InboundOptions {
  readonly desks: Pick<Registry<Desks>, 'get'>
  readonly config: Config
  readonly calls: Calls
  readonly trunks: Trunks
  readonly destinations: Destinations
  readonly clock: Clock
  readonly log: Log
}

export class Inbound {
  readonly unrouted: UnroutedCalls
  readonly #options: InboundOptions
  readonly #extensions: () => ReadonlySet<string>

  constructor(options: InboundOptions) {
    const { config, clock } = options
    this.#options = options
    this.unrouted = new UnroutedCalls(clock)
    this.#extensions = derived(config, () => new Set(config.extensions.map((extension) => extension.number)))
  }

  /** Takes a call to its destination; the call is returned for who wants to watch it. */
  take(info: InboundCall): Call {
    return this.#admit(info, (call) => {
      const code = info.extension === '' ? null : this.#options.desks.get('codes').codeIn(info.to)
      if (code === null) this.#toDestination(call, info, call.row.to)
      else this.#options.calls.drive(call, () => this.#takeCode(call, info, code))
    })
  }

  /** A call that is not for a destination of the dial plan: `work` drives it, until it has no part in anything any more. */
  takeFor(info: InboundCall, work: (call: Call) => Promise<void>): Call {
    return this.#admit(info, (call) => this.#options.calls.drive(call, () => work(call)))
  }

  /** A call that has outlived the last run of this program: `work` takes it from there. */
  resume(call: Call, work: () => Promise<Taken>): void {
    this.#options.trunks.stands(call.row.trunkId, call.over)
    this.#options.calls.drive(call, async () => {
      let taken = await work()
      if (!isDone(call, taken)) taken = await this.#fallBack(call, taken)
      if (!isDone(call, taken)) await this.#options.calls.apologise(call, 'nobody')
    })
  }

  #admit(info: InboundCall, admitted: (call: Call) => void): Call {
    const { calls, desks, trunks, clock, log } = this.#options
    const row = newCallRow(clock.now(), 'inbound')
    const number = this.#normalise(info.to)
    Object.assign(row, this.#callerOf(info))
    row.to = number
    const known = !isOfHouse(info) ? desks.get('callers').known(row.from) : null
    row.trunkId = info.trunkId
    row.extension = info.extension
    const call = calls.add(row)
    if (known !== null) nameCaller(call, known)
    call.attach(info.leg)
    call.note(
      'leg',
      `call from ${row.from === '' ? 'unknown' : row.from} to ${info.to}${info.trunkId === '' ? '' : ` through ${info.trunkId}`}`,
    )
    calls.changed(call)
    // Before any rule, and also while this program stops: nothing takes it away.
    const help = desks.get('help')
    const emergency = isOfHouse(info) ? help.numberIn(info.to) : null
    if (emergency !== null) {
      calls.drive(call, () => help.take(call, emergency, info.source, info.headers))
      return call
    }
    const passed = isSiteTrunk(info.trunkId) ? passedIn(info.headers) : []
    call.passed = [...passed, number]
    if (inCircles(passed, number)) {
      call.note('warning', `call refused: sites forward to each other (${call.passed.join(' -> ')})`)
      call.end({ reason: 'no-route', by: 'system' }, { sipCode: 482 })
      return call
    }
    const stopping = calls.draining
    if (stopping || !trunks.arrived(info.trunkId, call.over)) {
      log.warn(
        { callId: call.id, trunk: info.trunkId },
        stopping ? 'call refused: stopping' : 'call refused: all channels of the trunk are in use',
      )
      call.end({ reason: 'failed', by: 'system' }, { sipCode: 503 })
      return call
    }
    void call.taken.then((taken) => taken && desks.get('keep')(call))
    admitted(call)
    return call
  }

  #toDestination(call: Call, info: InboundCall, number: string): void {
    const route = this.#route(call, info, number)
    if (route !== null) this.#options.calls.drive(call, () => this.#take(call, info, route))
  }

  /** null: there is none, and the call is turned away. */
  #route(call: Call, info: InboundCall, number: string): InboundRoute | null {
    const { config, log } = this.#options
    const route = routeInbound(config, { trunkId: info.trunkId, extension: info.extension, to: [info.to, number] })
    if (route !== null) return route
    call.note('warning', this.unrouted.add(call.row, info.to))
    log.warn({ callId: call.id, trunk: info.trunkId, extension: info.extension }, 'no inbound rule matches this call')
    call.end({ reason: 'no-route', by: 'system' }, { sipCode: 404 })
    return null
  }

  async #takeCode(call: Call, before: InboundCall, code: DialledCode): Promise<void> {
    const { desks, calls } = this.#options
    const to = await desks.get('codes').take(call, code)
    if (to === null || call.over.aborted || call.ending) return
    const emergency = desks.get('help').numberIn(to)
    call.row.to = emergency ?? this.#normalise(to)
    calls.changed(call)
    // What comes out of a code was written by somebody else: they call nobody for help from here. What is dialled behind one is looked at first.
    if (emergency !== null) return call.end({ reason: 'no-route', by: 'system' }, { sipCode: 403 })
    const info = { ...before, to }
    const route = this.#route(call, info, call.row.to)
    if (route !== null) await this.#take(call, info, route)
  }

  /** Before any phone rings, so that it shows who calls; nobody waits longer for it than `introduce` takes. */
  async #introduce(call: Call, info: InboundCall): Promise<void> {
    if (isOfHouse(info) || call.row.from === '') return
    const { desks, calls } = this.#options
    const about = { callId: call.id, did: call.row.to, direction: 'inbound' } as const
    const found = await desks.get('callers').introduce(call.row.from, about, call.over)
    if (found === null || call.over.aborted || call.ending) return
    if (found.kind === 'known') nameCaller(call, found.known)
    else unnameCaller(call, info)
    calls.changed(call)
  }

  async #take(call: Call, info: InboundCall, { destination, faxes }: InboundRoute): Promise<void> {
    const { config, destinations, calls, log } = this.#options
    await this.#introduce(call, info)
    if (call.over.aborted || call.ending) return
    let taken = await destinations.take(call, destination, { signal: call.over, arrival: { info, faxes } })
    if (isDone(call, taken)) return
    taken = await this.#fallBack(call, taken)
    if (isDone(call, taken)) return
    if (call.answered) await soundRefusal(call, taken, config.site.country)
    // A caller from outside called a number that is in service.
    const why = isOfHouse(info) && notInService(taken) ? 'not-in-service' : 'nobody'
    if (call.answered || !isOfHouse(info)) await calls.apologise(call, why)
    else this.#turnAway(call, taken, destination.kind === 'external' || destination.kind === 'remote')
  }

  /** A caller from outside goes to the fallback of the site; returns what came of that, or of what was before. */
  async #fallBack(call: Call, before: Taken): Promise<Taken> {
    const { config, destinations } = this.#options
    const { fallbackDestination } = config.site
    if (fallbackDestination === undefined || isOfHouse(call.row) || call.row.direction === 'outbound') return before
    call.note('state', `fallback to ${fallbackDestination}: ${before.text}`)
    return destinations.send(call, fallbackDestination, { signal: call.over })
  }

  /** A phone of the house shows what was found there, and sounds the tone. */
  #turnAway(call: Call, { outcome, sipCode }: Taken, outside: boolean): void {
    if (outcome === 'failed' && (sipCode === 482 || (outside && [403, 404, 484, 503].includes(sipCode))))
      return call.end({ reason: 'no-route', by: 'system' }, { sipCode })
    if (outcome === 'busy' || outcome === 'refused') call.end({ reason: 'busy', by: 'callee' }, { sipCode: 486 })
    else call.end({ reason: 'no-answer', by: 'system' }, { sipCode: 480 })
  }

  /** A phone of the house bears the number and the name that are configured, whatever it says of itself. */
  #callerOf({ from, callerName, extension }: InboundCall): { from: string; callerName: string } {
    const phone = this.#options.config.extensions.find(({ number }) => number === extension)
    if (phone !== undefined) return { from: phone.number, callerName: phone.name }
    return { from: from === '' ? '' : this.#numberOf(from), callerName }
  }

  /** As the network shows it, perhaps without the + of another country. */
  #numberOf(raw: string): string {
    if (this.#extensions().has(raw)) return raw
    return soughtNumber(raw, this.#options.config.site.country).e164 ?? raw
  }

  #normalise(raw: string): string {
    if (this.#extensions().has(raw)) return raw
    return normaliseNumber(raw, this.#options.config.site.country).e164 ?? raw
  }
}

/** A phone of this house, or of another site, whose box says to its caller what became of it. */
function isOfHouse({ extension, trunkId }: Pick<InboundCall, 'extension' | 'trunkId'>): boolean {
  return extension !== '' || isSiteTrunk(trunkId)
}

function nameCaller({ row }: Call, { name, customerId, matchType }: KnownCaller): void {
  Object.assign(row, { callerName: name, customerId, matchType })
}

/** As the network says who calls. */
function unnameCaller({ row }: Call, { callerName }: InboundCall): void {
  row.callerName = callerName
  delete row.customerId
  delete row.matchType
}

function isDone(call: Call, { outcome }: Taken): boolean {
  return outcome === 'answered' || call.over.aborted || call.ending
}
