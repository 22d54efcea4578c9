/**
 * Where a call would go, step by step, and why: the modules that take calls are asked, and no call is made. What only a call shows, such as
 * whether anybody answers, is followed both ways.
 */
import type { LineStatus } from '../../../drivers/line.ts'
import type { Calls } from '../../calls/calls.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import { checkExists, type Dialler } from '../../routing/destinations.ts'
import { routeInbound } from '../../routing/dial-plan.ts'
import type { CodeDesk, EmergencyDesk } from '../../routing/desks.ts'
import type { Trunks } from '../../routing/trunks.ts'
import { memberOf } from '../../schema/config/pbx-groups.ts'
import type { Config, ExtensionConfig } from '../../schema/config.ts'
import { destinationText, parseDestination, type Destination } from '../../schema/destination.ts'
import type { WhereStep } from '../../schema/extensions.ts'
import { type SettingsOfExtensions, isEngaged } from '../extensions/settings.ts'
import { forwardTarget } from '../extensions/extensions.ts'
import type { Hours } from '../hours/hours.ts'
import { planOutside } from '../outside/plan.ts'
import { callLines } from '../../schema/call-lines.ts'

export interface WhereOptions {
  readonly config: Config
  readonly help: Pick<EmergencyDesk, 'numberIn'> & { trunks(): readonly string[] }
  readonly codes: Pick<CodeDesk, 'codeIn'>
  readonly settings: Pick<SettingsOfExtensions, 'of'>
  readonly hours: Pick<Hours, 'stateAt'>
  readonly trunks: Pick<Trunks, 'fault'>
  readonly calls: Pick<Calls, 'live'>
  readonly lines: () => readonly LineStatus[]
}

export interface WhereQuestion {
  readonly to: string
  /** Number of the phone that dials, or of a caller outside; '' for one of whom nothing is known. */
  readonly from: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

interface Walk {
  readonly at: number
  readonly dialler: Dialler
  /** Destinations on the way to this step. */
  readonly via: readonly string[]
  readonly steps: WhereStep[]
}

export class Where {
  readonly #options: WhereOptions

  constructor(options: WhereOptions) {
    this.#options = options
  }

  explain({ to, from, at }: WhereQuestion): readonly WhereStep[] {
    const { config, help, codes } = this.#options
    const phone = config.extensions.find(({ number }) => number === from)
    const steps: WhereStep[] = []
    const say = (depth: number, text: string): void => void steps.push({ depth, text })
    const number = config.extensions.some((extension) => extension.number === to)
      ? to
      : (normaliseNumber(to, config.site.country).e164 ?? to)
    const trunk = phone === undefined ? trunkOf(config, [to, number]) : undefined
    say(0, `${phone === undefined ? `a call to ${to} through the trunk ${trunk ?? '(there is none)'}` : `extension ${from} dials ${to}`}`)
    const emergency = phone === undefined ? null : help.numberIn(to)
    if (emergency !== null) {
      say(
        1,
        `${emergency} is an emergency number: before every rule, through ${
          help
            .trunks()
            .map((id) => this.#trunk(id))
            .join(', then ') || 'no trunk: THERE IS NONE'
        }`,
      )
      return steps
    }
    const code = phone === undefined ? null : codes.codeIn(to)
    if (code !== null) say(1, `the feature code ${code.name}${code.argument === '' ? '' : ` with ${code.argument}`}`)
    if (code !== null) return steps
    const route = routeInbound(config, { trunkId: trunk ?? '', extension: phone?.number ?? '', to: [to, number] })
    if (route === null) say(1, 'no inbound or outbound rule matches, and no extension has this number: refused (404)')
    else {
      const dialler = phone === undefined ? administrator : diallerOf(phone)
      this.#walk(route.destination, 1, { at, dialler, via: [], steps })
      if (phone === undefined && config.site.fallbackDestination !== undefined) {
        say(1, `if nobody takes the call: site.fallbackDestination ${config.site.fallbackDestination}`)
        this.#written(config.site.fallbackDestination, 2, { at, dialler: administrator, via: [], steps })
      }
    }
    return steps
  }

  #walk(destination: Destination, depth: number, before: Walk): void {
    const name = destinationText(destination)
    const walk = { ...before, via: [...before.via, name] }
    const say = (text: string, deeper = 0): void => void walk.steps.push({ depth: depth + deeper, text })
    const missing = checkExists(destination, this.#options.config)
    if (before.via.includes(name)) return say(`${name}: continues as above, at most ten times`)
    if (missing !== null) return say(`there is no ${missing.what} ${missing.name}`)
    switch (destination.kind) {
      case 'extension':
        return this.#extension(destination.number, depth, walk)
      case 'external':
        return say(this.#outside(destination.number, walk.dialler))
      case 'group':
        return this.#group(destination.id, depth, walk)
      case 'hours': {
        const state = this.#options.hours.stateAt(destination.id, walk.at)!
        say(state.text)
        return this.#written(state.destination, depth + 1, { ...walk, dialler: administrator })
      }
      case 'menu': {
        const menu = this.#options.config.menus.find(({ id }) => id === destination.id)!
        say(`menu ${menu.id}${menu.dialExtensions ? ', in which extensions can be dialled' : ''}`)
        for (const [key, to] of Object.entries(menu.keys)) say(`key ${key}: ${to}`, 1)
        if (menu.onNothing === undefined) return
        say(`no key, or no answer: ${menu.onNothing}`, 1)
        return this.#written(menu.onNothing, depth + 2, { ...walk, dialler: administrator })
      }
      case 'voicemail':
        return say(`the mailbox ${destination.extension} takes a message`)
      case 'endpoint':
        return say(`the application ${destination.id} decides`)
      default:
        return say(name)
    }
  }

  #written(text: string, depth: number, walk: Walk): void {
    const destination = parseDestination(text)
    if (destination !== undefined) this.#walk(destination, depth, walk)
  }

  #extension(number: string, depth: number, walk: Walk): void {
    const { config, settings } = this.#options
    const extension = config.extensions.find((candidate) => candidate.number === number)!
    const set = settings.of(number)
    const say = (text: string, deeper = 0): void => void walk.steps.push({ depth: depth + deeper, text })
    if (set.forwardAll !== null && this.#forward(extension, set.forwardAll, 'all calls', depth, walk)) return
    say(`extension ${number}: ${this.#refusal(extension) ?? `its phones ring for ${extension.ringSeconds} s (${this.#state(number)})`}`)
    for (const [when, forward, onwards] of [
      ['busy', set.forwardBusy, extension.onBusy],
      ['no answer', set.forwardNoAnswer, extension.onNoAnswer],
      ['no phone is registered', set.forwardNoAnswer, extension.onUnreachable],
    ] as const) {
      if (forward !== null && this.#forward(extension, forward, when, depth + 1, walk)) continue
      if (onwards === undefined) continue
      say(`${when}: ${onwards}`, 1)
      this.#written(onwards, depth + 2, { ...walk, dialler: administrator })
    }
  }

  /** Whether it leads anywhere. */
  #forward(extension: ExtensionConfig, dialled: string, when: string, depth: number, walk: Walk): boolean {
    const target = forwardTarget(this.#options.config, extension, dialled)
    const been = 'destination' in target && walk.via.includes(destinationText(target.destination))
    const why = 'refused' in target ? target.refused : been ? 'The call has already been there.' : null
    const what = why === null ? `forwarded to ${dialled} by its user` : `not forwarded to ${dialled}: ${why}`
    walk.steps.push({ depth, text: `extension ${extension.number}, ${when}: ${what}` })
    if (why !== null || 'refused' in target) return false
    this.#walk(target.destination, depth + 1, { ...walk, dialler: target.dialler ?? administrator })
    return true
  }

  #group(id: string, depth: number, walk: Walk): void {
    const { config, settings, calls } = this.#options
    const group = config.ringGroups.find((candidate) => candidate.id === id)!
    const say = (text: string, deeper = 0): void => void walk.steps.push({ depth: depth + deeper, text })
    say(`group ${id} (${group.strategy}), ${group.ringSeconds} s`)
    for (const { number, outside, delaySeconds } of group.members.map(memberOf)) {
      const later = delaySeconds === 0 ? '' : `, after ${delaySeconds} s`
      const passed = settings.of(number).doNotDisturb ? 'do not disturb' : isEngaged(calls.live(), number) ? 'on the telephone' : null
      if (outside) say(`${this.#outside(number, administrator)}, and must press 1${later}`, 1)
      else
        say(passed === null ? `extension ${number} rings${later} (${this.#state(number)})` : `extension ${number} is skipped: ${passed}`, 1)
    }
    if (group.onNoAnswer === undefined) return
    say(`nobody takes the call: ${group.onNoAnswer}`, 1)
    this.#written(group.onNoAnswer, depth + 2, { ...walk, dialler: administrator })
  }

  #outside(number: string, dialler: Dialler): string {
    const plan = planOutside(this.#options.config, number, dialler)
    if ('refused' in plan) return `${number}: refused (${plan.sipCode}): ${plan.refused}`
    const trunks = plan.trunks.map((id) => this.#trunk(id)).join(', then ')
    return `${plan.to} through ${trunks}${dialler.phone ? `, class ${dialler.classOfService}` : ''}`
  }

  #trunk(id: string): string {
    const fault = this.#options.trunks.fault(id)
    return fault === null ? id : `${id} (down: ${fault})`
  }

  /** Why its phones do not ring now; null where they do. */
  #refusal({ number, callWaiting }: ExtensionConfig): string | null {
    if (this.#options.settings.of(number).doNotDisturb) return 'busy, do not disturb is on'
    return !callWaiting && isEngaged(this.#options.calls.live(), number) ? 'busy, on the telephone' : null
  }

  #state(number: string): string {
    return this.#options.lines().find(({ id, kind }) => kind === 'extension' && id === number)?.state ?? 'not registered'
  }
}

const administrator: Dialler = { classOfService: 'international', phone: false, shows: 'trunk' }

function diallerOf(extension: ExtensionConfig): Dialler {
  return { classOfService: extension.class, phone: true, shows: extension.callerId ?? 'trunk' }
}

/** The trunk that has this number, else the default one. */
function trunkOf(config: Config, numbers: readonly string[]): string | undefined {
  const trunks = callLines(config)
  return (
    trunks.find((trunk) => trunk.numbers.some((number) => numbers.includes(number))) ??
    trunks.find((trunk) => trunk.default) ??
    trunks[0]
  )?.id
}
