/** The phones of other sites: their lamps, and calls to them, by the line to that box, else by the number that the site has in the telephone network. */
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import { sourceOfSite } from '../../inbox/collect/source.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import type { Part } from '../../part.ts'
import { connect, type Talks } from '../../routing/connect.ts'
import type { Dialler, TakeRequest } from '../../routing/destinations.ts'
import type { Routing } from '../../routing/routing.ts'
import { answered, type Taken } from '../../routing/taken.ts'
import { isSiteTrunk, onwardHeaders, pickupAtSite, siteOf, siteTrunk, type SiteLink } from '../../schema/config/sites.ts'
import type { Attendant } from '../codes/attendant.ts'
import { OutsideSearch, type OutsideOrder } from '../outside/search.ts'
import { SiteLamps } from './lamps.ts'

export interface SitesPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'takers' | 'trunks'>
  readonly calls: Pick<Calls, 'apologise'>
  readonly talks: Talks & { readonly pickup: { take(call: Call, extension: string, number: string): Promise<boolean> } }
  readonly attendant: Pick<Attendant, 'say'>
}

type Ways = Pick<Ground, 'config' | 'clock'> & SitesPartOptions

/** As long as a number outside; the mailbox of the phone there answers before. */
const usualSeconds = 45
/** What the box there says of the number, and no fault of the way to it: not found, passed on too often, incomplete. */
const saidThere: readonly number[] = [404, 482, 484]
/** The number of a site is written down by the administrator, for everybody who may dial its phones. */
const administrator: Dialler = { classOfService: 'international', phone: false, shows: 'trunk' }

export interface SitesPart extends Part {
  readonly lamps: SiteLamps
  /** The web port of a site. */
  readonly web: typeof sourceOfSite
}

export function sitesPart({ config, clock, log }: Pick<Ground, 'config' | 'clock' | 'log'>, options: SitesPartOptions): SitesPart {
  const ways = { config, clock, ...options }
  const lamps = new SiteLamps({ config, clock, log, webOf: sourceOfSite })
  options.routing.takers.add('remote', (call, { number }, request) => takeThere(ways, call, number, request))
  return {
    name: 'sites',
    lamps,
    web: sourceOfSite,
    warnings: () => lamps.warnings(),
    reconfigured: () => lamps.reconfigured(),
    stop: () => lamps.stop(),
  }
}

async function takeThere(ways: Ways, call: Call, number: string, request: TakeRequest): Promise<Taken> {
  const { config, clock, routing, calls } = ways
  const phone = number.startsWith(pickupAtSite) ? number.slice(pickupAtSite.length) : number
  const takes = phone !== number
  if (takes && isSiteTrunk(call.row.trunkId)) return pickUp(ways, call, phone)
  const site = siteOf(config, phone)
  if (site === undefined) return failed(call, 404, `no site has the number ${number}`)
  const order = orderOf(ways, call, site, number, request)
  const taken = await connect(ways, call, request, () => new OutsideSearch(call, clock, routing.trunks, order))
  if (request.signal.aborted || call.ending) return taken
  // A caller of the house hears a sentence; callers from outside hear it, or go to the fallback, once nothing else is left for them.
  const isHeard = request.arrival !== undefined && call.row.extension !== ''
  if (takes && isHeard && taken.sipCode === 404) return nothingRings(ways, call)
  if (isReached(taken)) return taken
  call.note('warning', `the site ${site.id} cannot be reached: ${taken.text} (${taken.sipCode})`)
  // A person who takes a call of a phone there does not want the one who answers the number of that house.
  const fallback = takes || isFromSite(ways, call) ? undefined : site.number
  const otherwise = fallback === undefined ? taken : await byNumber(ways, call, fallback, request)
  if (isHeard && !isReached(otherwise) && !call.over.aborted && !call.ending) await calls.apologise(call, 'nobody')
  return otherwise
}

async function nothingRings({ attendant }: Ways, call: Call): Promise<Taken> {
  await attendant.say(call, 'nothingRings')
  call.end({ reason: 'document-end', by: 'system' })
  return answered
}

/** A phone of another site takes a call that rings here. */
async function pickUp({ talks }: Ways, call: Call, phone: string): Promise<Taken> {
  return (await talks.pickup.take(call, '', phone)) ? answered : failed(call, 404, `nothing rings at ${phone}`)
}

function orderOf({ routing, config }: Ways, call: Call, site: SiteLink, number: string, request: TakeRequest): OutsideOrder {
  const { timeoutSeconds = usualSeconds, announce } = request
  const { from, callerName } = call.shown
  const own = config.extensions.find((extension) => extension.number === from)
  return {
    to: number,
    trunks: [siteTrunk(site.id)],
    timeoutSeconds,
    identity: () => ({
      from,
      callerName: callerName === '' ? (own?.name ?? '') : callerName,
      headers: onwardHeaders(call.passed, number),
    }),
    claim: async (trunkId) => routing.trunks.claimForSite(trunkId),
    obstacle: () => null,
    ...(announce === undefined ? {} : { announce }),
  }
}

/** The box of a site calls by the telephone network because it does not reach this one: sent back that way the call would come again and again. */
function isFromSite({ config: { site, sites } }: Ways, { row }: Call): boolean {
  return row.extension === '' && sites.some(({ number }) => number !== undefined && normaliseNumber(number, site.country).e164 === row.from)
}

/** Without what was meant for the phone there, such as how long it may ring. */
function byNumber({ routing }: Ways, call: Call, number: string, request: TakeRequest): Promise<Taken> {
  const { timeoutSeconds: _, announce: __, ...onward } = request
  return routing.destinations.send(call, `external:${number}`, { ...onward, dialler: administrator })
}

/** Whether the box of the site has said something of the phone; a password that it does not take says nothing. */
function isReached({ outcome, sipCode }: Taken): boolean {
  return outcome !== 'unreachable' && (outcome !== 'failed' || saidThere.includes(sipCode))
}

function failed(call: Call, sipCode: number, text: string): Taken {
  call.note('warning', text)
  return { outcome: 'failed', sipCode, text }
}
