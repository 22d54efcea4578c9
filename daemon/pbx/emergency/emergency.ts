/**
 * Calls for help. Whether a dialled number is one is the first thing asked of it, before any rule, and nothing in the configuration takes
 * a number away. Every extension may place them; they take a channel from another call where none is free; no ceiling counts.
 */
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import { isoTime, type Clock } from '../../base/clock.ts'
import { newCallId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { connect, type ConnectOptions } from '../../routing/connect.ts'
import type { ClaimAnswer, Trunks } from '../../routing/trunks.ts'
import type { Config } from '../../schema/config.ts'
import { isSiteTrunk, passedHeader } from '../../schema/config/sites.ts'
import { OutsideSearch } from '../outside/search.ts'
import type { EmergencyCall } from './notices.ts'
import { emergencyNumberIn } from './numbers.ts'
import { helpTrunks, placeOf, type Place } from './place.ts'
import { callLines } from '../../schema/call-lines.ts'

export interface EmergencyOptions extends ConnectOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'live'>
  readonly trunks: Trunks
  readonly log: Log
  /** Somebody called for help: who, and what became of it. Never throws. */
  readonly tell: (call: EmergencyCall) => void
  /** It could be put through by no trunk. Never throws. */
  readonly lost: (callId: string) => void
}

export interface HelpSought {
  readonly callId: string
  readonly at: number
  readonly extension: string
  readonly location: string
  /** Nobody could be reached. */
  readonly lost: boolean
}

export interface PlacedAlone {
  readonly number: string
  readonly extension: string
  /** IP address of the phone. */
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Through no trunk. */
  readonly lost: boolean
}

/** A trunk rings this long; the centre answers, or the next trunk is tried. */
const ringSeconds = 120
/** For the far end of a call that gives up its channel; then the trunk is dialled all the same. */
const roomMs = 1000
const rememberMs = 86_400_000

export class Emergency {
  readonly #options: EmergencyOptions
  #sought: HelpSought[] = []

  constructor(options: EmergencyOptions) {
    this.#options = options
  }

  /** The emergency number in what a phone dialled, also behind what the people of the site are used to dial first; null where it is none. */
  numberIn(dialled: string): string | null {
    return emergencyNumberIn(this.#options.config, dialled)
  }

  /** Of the last day, the latest last, with those that are being placed. */
  sought(): readonly HelpSought[] {
    const now = this.#options.clock.now()
    this.#sought = this.#sought.filter(({ at }) => now - at < rememberMs)
    return this.#sought
  }

  /** The clock was set: a day stays a day. */
  stepped(stepMs: number): void {
    this.#sought = this.#sought.map((each) => ({ ...each, at: each.at + stepMs }))
  }

  /** Takes the call of a phone there, which called from `source`; resolves when it has ended, or could not be placed by any trunk. */
  async take(call: Call, number: string, source: string, headers: Place['headers'] = {}): Promise<void> {
    const { config, clock, log, trunks, tell } = this.#options
    const fromSite = isSiteTrunk(call.row.trunkId)
    const extension = call.row.extension
    const name = fromSite ? call.row.callerName : (config.extensions.find((candidate) => candidate.number === extension)?.name ?? '')
    call.note('warning', `EMERGENCY: ${fromSite ? call.row.trunkId : extension} dialled ${number}`)
    log.warn({ callId: call.id, extension, number }, 'EMERGENCY CALL')
    const place = fromSite ? placeAtSite(call, headers) : placeOf(config, source)
    tell({ callId: call.id, number, extension, name, location: place.text, at: clock.now() })
    this.#sought.push({ callId: call.id, at: clock.now(), extension, location: place.text, lost: false })
    const order = {
      to: number,
      // What a site could not place itself is not sent back there.
      trunks: fromSite ? this.trunks().filter((id) => !isSiteTrunk(id)) : this.trunks(),
      ownFirst: true,
      timeoutSeconds: ringSeconds,
      identity: (trunkId: string) => ({
        from: place.callerId === '' ? this.#ownNumber(trunkId) : place.callerId,
        callerName: name,
        headers: isSiteTrunk(trunkId) ? toSite(place.headers) : place.headers,
        help: true,
      }),
      claim: (trunkId: string) => this.#claim(call, trunkId),
      obstacle: () => null,
      // Whatever a trunk says: help may be reached through another one.
      goesOn: () => true,
    }
    const taken = await connect(this.#options, call, { signal: call.over }, () => new OutsideSearch(call, clock, trunks, order))
    if (taken.outcome === 'answered' || taken.outcome === 'canceled') return
    this.#sought = this.#sought.map((each) => (each.callId === call.id ? { ...each, lost: true } : each))
    log.error({ callId: call.id, extension }, 'AN EMERGENCY CALL COULD NOT BE PUT THROUGH')
    this.#options.lost(call.id)
    call.end({ reason: 'no-route', by: 'system' }, { sipCode: 503 })
  }

  /** The engine has placed one by itself while this program was away, or stood still; people are notified late. */
  wasPlaced({ number, extension, source, at, lost }: PlacedAlone): void {
    const { config, log, tell } = this.#options
    const name = config.extensions.find((candidate) => candidate.number === extension)?.name ?? ''
    const location = placeOf(config, source.includes(':') ? `[${source}]:0` : `${source}:0`).text
    const callId = newCallId()
    log.warn({ callId, extension, number, at: isoTime(at), lost }, 'EMERGENCY CALL, placed by the engine alone')
    tell({ callId, number, extension, name, location, at })
    if (lost) this.#options.lost(callId)
    this.#sought.push({ callId, at, extension, location, lost })
  }

  trunks(): readonly string[] {
    return helpTrunks(this.#options.config)
  }

  #ownNumber(trunkId: string): string {
    const { config } = this.#options
    const own = isSiteTrunk(trunkId)
      ? (config.site.number ?? callLines(config)[0]?.numbers[0])
      : callLines(config).find(({ id }) => id === trunkId)?.numbers[0]
    return own ?? ''
  }

  async #claim(call: Call, trunkId: string): Promise<ClaimAnswer> {
    const { trunks, clock } = this.#options
    if (trunks.isFull(trunkId)) {
      const victim = this.#victim(trunkId)
      if (victim !== undefined) {
        call.note('state', `call ${victim.id} gives up its channel of ${trunkId}`)
        victim.note('state', 'ended: its channel is needed for an emergency call')
        const gone = Promise.withResolvers<void>()
        victim.over.addEventListener('abort', () => gone.resolve(), { once: true })
        victim.end({ reason: 'failed', by: 'system' }, { sipCode: 503, cause: 34 })
        const timer = clock.after(roomMs, () => gone.resolve())
        await gone.promise
        timer.cancel()
      }
    }
    return trunks.claimForHelp(trunkId)
  }

  /** Who talks last of all, after those who do not talk yet; never somebody who calls for help. */
  #victim(trunkId: string): Call | undefined {
    const holds = ({ row }: Call): boolean =>
      (row.trunkId === trunkId && row.state !== 'queued') || (row.legs ?? []).some((leg) => leg.trunkId === trunkId && leg.endedAt === null)
    const isHelp = ({ row }: Call): boolean => (row.extension !== '' || isSiteTrunk(row.trunkId)) && this.numberIn(row.to) !== null
    const candidates = this.#options.calls.live().filter((call) => !call.isTerminal && !call.ending && holds(call) && !isHelp(call))
    return candidates.toSorted((a, b) => Number(a.answered) - Number(b.answered) || b.row.createdAt - a.row.createdAt)[0]
  }
}

/** A box reads X- headers alone of a call that comes in: others of the place go under such a name. */
const ofPlace = 'X-Pbx-Place-'

function toSite(headers: Place['headers']): Place['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [/^x-/i.test(name) ? name : `${ofPlace}${name}`, value]))
}

/** A phone of another site, whose box knows where it is: the number that it shows, and what it says besides. */
function placeAtSite({ row }: Call, headers: Place['headers']): Place {
  const isOfPlace = (name: string): boolean => name.toLowerCase().startsWith(ofPlace.toLowerCase())
  const said = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() !== passedHeader.toLowerCase())
    .map(([name, value]) => [isOfPlace(name) ? name.slice(ofPlace.length) : name, value] as const)
  return { text: `${row.trunkId}, ${row.from}`, callerId: row.from, headers: Object.fromEntries(said) }
}
