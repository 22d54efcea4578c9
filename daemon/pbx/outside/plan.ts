/** Whether somebody may call a number outside, and through which trunks. Pure. */
import { normaliseNumber } from '../../numbers/numbers.ts'
import { createReach } from '../../numbers/reach.ts'
import type { Dialler } from '../../routing/destinations.ts'
import { classesOfService, type ClassOfService, type OutboundRule } from '../../schema/config/pbx-outbound.ts'
import type { Config } from '../../schema/config.ts'
import { callLines } from '../../schema/call-lines.ts'

export type OutsidePlan =
  | {
      /** As it is dialled: E.164, or a short number that `numbers.allow` names. */
      readonly to: string
      /** Tried in this order. */
      readonly trunks: readonly string[]
      readonly international: boolean
      /** What should be known of the number; '' for nothing. */
      readonly warning: string
    }
  /** `sipCode`: what a phone is answered. `reason`: for a person, without the number. */
  | { readonly refused: string; readonly sipCode: 403 | 404 | 484 }

export function planOutside(config: Config, dialled: string, dialler: Dialler): OutsidePlan {
  const { country } = config.site
  const number = numberBehind(dialled, dialler.phone ? config.site.outsidePrefix : undefined, country)
  if (number.kind === 'invalid') return { refused: number.warning ?? 'This is not a telephone number.', sipCode: 484 }
  const verdict = createReach(config).mayReach(number, 'call')
  if (!verdict.allowed) return { refused: verdict.reason, sipCode: 403 }
  const wanted = verdict.international ? 'international' : isLocal(config, number.dial) ? 'local' : 'national'
  const { classOfService } = dialler
  if (!includes(classOfService, wanted)) {
    return { refused: `The class of service ${classOfService} does not permit ${wanted} numbers.`, sipCode: 403 }
  }
  const trunks = dialler.trunkId === undefined ? trunksFor(config, number.dial, dialler) : [dialler.trunkId]
  if (trunks.length === 0) return { refused: 'No outbound rule matches this number.', sipCode: 404 }
  return { to: number.dial, trunks, international: verdict.international, warning: verdict.warning }
}

function includes(classOfService: ClassOfService, wanted: ClassOfService): boolean {
  return classesOfService.indexOf(wanted) <= classesOfService.indexOf(classOfService)
}

/** What a phone dialled, without what the people of the site are used to dial first; where that leaves no number, as it is. */
function numberBehind(dialled: string, prefix: string | undefined, country: string) {
  const behind = prefix !== undefined && dialled.startsWith(prefix) ? normaliseNumber(dialled.slice(prefix.length), country) : null
  return behind === null || behind.kind === 'invalid' ? normaliseNumber(dialled, country) : behind
}

/** In +1 the area code of the site; elsewhere what `site.local` names. */
function isLocal({ site, trunks }: Config, dial: string): boolean {
  if (site.local.length > 0) return site.local.some((beginning) => dial.startsWith(beginning.replaceAll(/[^+\d]/g, '')))
  const own = normaliseNumber(site.number ?? trunks[0]?.numbers[0] ?? '', site.country).dial
  return /^\+1\d{10}$/.test(own) && dial.startsWith(own.slice(0, 5))
}

/** Without any rule applications and the configuration itself use the default trunk; phones need a rule. */
function trunksFor(config: Config, dial: string, { classOfService, phone }: Dialler): readonly string[] {
  const rule = config.outbound.find((candidate) => fits(candidate, config.site.country, dial) && mayUse(candidate, classOfService))
  if (rule !== undefined) return rule.trunks
  if (phone || config.outbound.length > 0) return []
  const trunk = callLines(config).find((candidate) => candidate.default) ?? callLines(config)[0]
  return trunk === undefined ? [] : [trunk.id]
}

function mayUse(rule: OutboundRule, classOfService: ClassOfService): boolean {
  return rule.class === undefined || includes(classOfService, rule.class)
}

function fits({ to }: OutboundRule, country: string, dial: string): boolean {
  const compact = to.replaceAll(/[\s().\-/]/g, '')
  if (compact.endsWith('*')) return dial.startsWith(compact.slice(0, -1))
  return dial === normaliseNumber(compact, country).dial
}
