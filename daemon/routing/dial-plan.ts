/** The dial plan: which destination an inbound call gets, by the configured rules. Pure; first match wins. */
import { normaliseNumber } from '../numbers/numbers.ts'
import type { Config, InboundRule } from '../schema/config.ts'
import { isSiteTrunk, numberAtSite, pickupAtSite } from '../schema/config/sites.ts'
import { parseDestination, type Destination } from '../schema/destination.ts'
import { houseNumberIn } from '../schema/house-numbers.ts'
import { receivesFaxes } from './destinations.ts'
import { callLines } from '../schema/call-lines.ts'

export interface InboundFacts {
  /** '' when a desk phone calls. */
  readonly trunkId: string
  /** '' when the call came through a trunk. */
  readonly extension: string
  /** As dialled, and in E.164 where it can be written so: any of them may match a rule. */
  readonly to: readonly string[]
}

export interface InboundRoute {
  readonly destination: Destination
  /** Whether a fax machine may call this number too: a call from a trunk, by a rule that does not say `fax: off`. */
  readonly faxes: boolean
}

function numberFits(pattern: string, numbers: readonly string[]): boolean {
  if (pattern.endsWith('*')) return numbers.some((number) => number.startsWith(pattern.slice(0, -1)))
  return numbers.includes(pattern)
}

function fits(rule: InboundRule, call: InboundFacts): boolean {
  if (rule.extension === undefined) {
    if (call.extension !== '') return false
    if (rule.trunk !== undefined && rule.trunk !== '*' && rule.trunk !== call.trunkId) return false
  } else if (call.extension === '' || (rule.extension !== '*' && rule.extension !== call.extension)) {
    return false
  }
  return numberFits(rule.to, call.to)
}

/** An analog line without the role voice. */
const isFaxLine = ({ lines }: Config, id: string): boolean => lines.some((line) => line.id === id && !line.roles.includes('voice'))

/** The rule by which something came in that was received through a trunk or line; `to` in E.164 where it can be written so. */
export function ruleOfReceived(
  config: Config,
  { trunkId, to }: { readonly trunkId: string; readonly to: string },
): InboundRule | undefined {
  const call = { trunkId, extension: '', to: [to] }
  return config.inbound.find((rule) => {
    const written = { ...rule, to: normaliseNumber(rule.to, config.site.country).e164 ?? rule.to }
    return (fits(rule, call) || fits(written, call)) && (!isFaxLine(config, trunkId) || rule.trunk === trunkId)
  })
}

/** Such a line carries faxes only. A rule that names the line and leads elsewhere leaves its calls to others on the line. */
function routeLine(config: Config, call: InboundFacts): Destination {
  const rule = config.inbound.find((candidate) => candidate.trunk === call.trunkId && fits(candidate, call))
  return rule === undefined || receivesFaxes(rule.destination, false) ? { kind: 'fax' } : { kind: 'hangup' }
}

/**
 * A caller of another site reaches what every phone of this house dials, and no third site: two sites that name each other's numbers would
 * send a call to and fro. Whether it may leave the house by a number outside is asked where that is dialled.
 */
function routeFromSite(config: Config, { to }: InboundFacts): InboundRoute | null {
  const rule = config.inbound.find(({ extension, to: pattern }) => extension === '*' && numberFits(pattern, to))
  const destination = rule === undefined ? houseNumberIn(config, to) : parseDestination(rule.destination)
  if (destination !== undefined) return { destination, faxes: false }
  const taken = to.find((text) => config.extensions.some(({ number }) => text === pickupAtSite + number))
  if (taken !== undefined) return { destination: { kind: 'remote', number: taken }, faxes: false }
  const number = to.find((text) => text.startsWith('+'))
  return number === undefined ? null : { destination: { kind: 'external', number }, faxes: false }
}

/**
 * Rules are tried in order. A rule with `extension` is for calls dialled by desk phones, one without for calls through
 * trunks. A desk phone that fits no rule reaches the numbers of the house, those of other sites, and a number of the box's own trunks
 * as a caller from outside would; any other number is one outside, where there are rules of `outbound` at all.
 */
export function routeInbound(config: Config, call: InboundFacts): InboundRoute | null {
  if (isSiteTrunk(call.trunkId)) return routeFromSite(config, call)
  if (isFaxLine(config, call.trunkId)) return { destination: routeLine(config, call), faxes: false }
  const rule = config.inbound.find((candidate) => fits(candidate, call))
  if (rule) {
    const destination = parseDestination(rule.destination)
    return destination === undefined ? null : { destination, faxes: call.extension === '' && rule.fax === 'auto' }
  }
  if (call.extension === '') return null
  const dialled = houseNumberIn(config, call.to)
  if (dialled) return { destination: dialled, faxes: false }
  const remote = numberAtSite(config, call.to)
  if (remote !== '') return { destination: { kind: 'remote', number: remote }, faxes: false }
  const trunk = callLines(config).find((candidate) => candidate.numbers.some((number) => call.to.includes(number)))
  const route = trunk ? routeInbound(config, { ...call, trunkId: trunk.id, extension: '' }) : null
  if (route !== null) return { ...route, faxes: false }
  const number = call.to[0]
  return config.outbound.length === 0 || number === undefined ? null : { destination: { kind: 'external', number }, faxes: false }
}
