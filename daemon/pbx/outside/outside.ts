/** Calls to numbers outside, for phones, applications, and where the configuration sends a call on. */
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Clock } from '../../base/clock.ts'
import { createReach } from '../../numbers/reach.ts'
import { connect, type ConnectOptions } from '../../routing/connect.ts'
import type { Dialler, TakeRequest } from '../../routing/destinations.ts'
import type { RungOptions } from '../../routing/rung.ts'
import type { Taken } from '../../routing/taken.ts'
import type { ClaimedDial, Trunks } from '../../routing/trunks.ts'
import type { Config, ExtensionConfig } from '../../schema/config.ts'
import { isSiteTrunk, onwardHeaders, siteOfTrunk } from '../../schema/config/sites.ts'
import { planOutside, type OutsidePlan } from './plan.ts'
import { OutsideSearch } from './search.ts'
import { callLines } from '../../schema/call-lines.ts'
import { emergencyNumberIn } from '../emergency/numbers.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'

// Whom the house may call back by the number that they showed. Whoever calls from outside writes that number themselves. Pure.

/** A phone of the house, or a telephone outside: never a call for help, a code, or the house itself; false for a withheld number. */
export function canCallBack(config: Config, number: string): boolean {
  if (number === '' || emergencyNumberIn(config, number) !== null) return false
  if (config.extensions.some((extension) => extension.number === number)) return true
  return isOutside(config, number)
}

/** A telephone outside, and no number at which the house is called itself. */
export function isOutside(config: Config, number: string): boolean {
  const { country } = config.site
  const read = normaliseNumber(number, country)
  if (emergencyNumberIn(config, number) !== null || isOwn(config, [number, read.dial])) return false
  return read.kind === 'e164' || (read.kind === 'short' && createReach(config).mayReach(read, 'call').allowed)
}

/** A number of a line, of an extension, or one that a rule of `inbound` leads on; a rule for every number says nothing of this one. */
function isOwn(config: Config, spellings: readonly string[]): boolean {
  const { site, extensions, inbound } = config
  const same = (own: string | undefined): boolean => own !== undefined && spellings.includes(normaliseNumber(own, site.country).e164 ?? own)
  const routed = inbound.some(({ to, extension }) =>
    extension !== undefined || to === '*' ? false : to.endsWith('*') ? spellings.some((one) => one.startsWith(to.slice(0, -1))) : same(to),
  )
  return (
    routed ||
    same(site.number) ||
    extensions.some(({ number }) => same(number)) ||
    callLines(config).some(({ numbers }) => numbers.some(same))
  )
}

/** A phone that calls the outside: with the class of its extension, showing its number. */
export function phoneDialler(extension: ExtensionConfig): Dialler {
  return { classOfService: extension.class, phone: true, shows: extension.callerId ?? 'trunk' }
}

export interface OutsideOptions extends ConnectOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'live' | 'minutes'>
  readonly trunks: Trunks
}

const usualSeconds = 45

export class Outside {
  /** When a call abroad was last refused because so many are under way; null for never. */
  tooManyAbroadAt: number | null = null
  readonly #options: OutsideOptions

  constructor(options: OutsideOptions) {
    this.#options = options
  }

  /** Takes the call there and stays with it. `to`: as it was dialled or written. */
  async take(call: Call, to: string, request: TakeRequest): Promise<Taken> {
    const dialler = request.dialler ?? this.#diallerOf(call, request)
    const begun = this.begin(call, to, dialler, { ...request, timeoutSeconds: request.timeoutSeconds ?? usualSeconds })
    if ('outcome' in begun) return begun
    return connect(this.#options, call, request, begun.ring)
  }

  /** Whether the number may be called; `ring` begins. */
  begin(
    call: Call,
    to: string,
    dialler: Dialler,
    how: Pick<RungOptions, 'announce' | 'confirm'> & { readonly timeoutSeconds: number },
  ): Taken | { readonly ring: () => OutsideSearch } {
    const { config, clock, trunks } = this.#options
    const plan = this.#plan(call, to, dialler)
    if ('refused' in plan) {
      call.note('warning', `not called: ${plan.refused}`)
      return { outcome: 'failed', sipCode: plan.sipCode, text: plan.refused }
    }
    if (plan.warning !== '') call.note('warning', plan.warning)
    const { timeoutSeconds, announce, confirm } = how
    const order = {
      to: plan.to,
      trunks: plan.trunks,
      timeoutSeconds,
      identity: (trunkId: string) => this.#identity(call, dialler, trunkId, plan.to),
      obstacle: () => this.#obstacle(call, plan),
      ...(announce === undefined ? {} : { announce }),
      ...(confirm === undefined ? {} : { confirm }),
    }
    return { ring: () => new OutsideSearch(call, clock, trunks, order) }
  }

  /**
   * A caller of another site, and what the configuration does with one, has the class of that site, and is not sent back there. A phone of
   * this house that forwards or transfers such a call decides under its own class.
   */
  #plan({ row }: Call, to: string, dialler: Dialler): OutsidePlan {
    const { config } = this.#options
    if (row.direction !== 'inbound' || dialler.phone || !isSiteTrunk(row.trunkId)) return planOutside(config, to, dialler)
    const classOfService = siteOfTrunk(config, row.trunkId)?.class ?? 'internal'
    const plan = planOutside(config, to, { ...dialler, classOfService })
    if ('refused' in plan) return plan
    const trunks = plan.trunks.filter((id) => !isSiteTrunk(id))
    return trunks.length > 0 ? { ...plan, trunks } : { refused: 'Only lines to other sites are left for this number.', sipCode: 404 }
  }

  /** A phone that dials has the class of its extension; what the administrator wrote down may lead anywhere that `numbers` opens. */
  #diallerOf(call: Call, { arrival }: TakeRequest): Dialler {
    const extension =
      arrival === undefined ? undefined : this.#options.config.extensions.find(({ number }) => number === call.row.extension)
    if (extension === undefined) return { classOfService: 'international', phone: false, shows: 'trunk' }
    return phoneDialler(extension)
  }

  /** A number is shown where it is one of the trunk's own, or the trunk has none: providers refuse others. */
  #identity(call: Call, dialler: Dialler, trunkId: string, to: string): Pick<ClaimedDial, 'from' | 'callerName' | 'diversion' | 'headers'> {
    const shown = this.#shown(call, dialler, trunkId)
    return isSiteTrunk(trunkId) ? { ...shown, headers: onwardHeaders(call.passed, to) } : shown
  }

  #shown({ row }: Call, { shows, phone }: Dialler, trunkId: string): Pick<ClaimedDial, 'from' | 'callerName' | 'diversion'> {
    const { config } = this.#options
    const numbers = callLines(config).find(({ id }) => id === trunkId)?.numbers ?? []
    const own = numbers[0] ?? (isSiteTrunk(trunkId) ? config.site.number : undefined) ?? ''
    // Withheld (*67).
    if (row.extension !== '' && row.from === '') return { from: '', callerName: '' }
    const diverted = row.trunkId !== '' && row.direction === 'inbound' ? { diversion: row.to } : {}
    if (shows === 'caller') return { from: row.from, callerName: row.callerName, ...diverted }
    const from = shows !== 'trunk' && (numbers.length === 0 || numbers.includes(shows)) ? shows : own
    return { from, callerName: phone ? row.callerName : '', ...diverted }
  }

  #obstacle(call: Call, { to, international }: Extract<OutsidePlan, { to: string }>): string | null {
    const { calls, clock, config } = this.#options
    const ceiling = calls.minutes.refusal({ to, ...(call.row.token === undefined ? {} : { token: call.row.token }) })
    if (ceiling !== null) return ceiling.message
    if (!international || this.#abroad() < config.limits.internationalCalls) return null
    this.tooManyAbroadAt = clock.now()
    return `${config.limits.internationalCalls} calls to other countries are in progress (limits.internationalCalls)`
  }

  /** Calls to other countries that are under way. */
  #abroad(): number {
    const { calls, config } = this.#options
    const reach = createReach(config)
    return calls.live().flatMap(({ row }) => {
      const legs = (row.legs ?? []).filter(({ trunkId, endedAt }) => trunkId !== '' && endedAt === null).map(({ to }) => to)
      const own = row.direction === 'outbound' && row.trunkId !== '' && row.endedAt === null && row.state !== 'queued' ? [row.to] : []
      return [...own, ...legs].filter((to) => reach.mayDial(to, 'call').international)
    }).length
  }
}
